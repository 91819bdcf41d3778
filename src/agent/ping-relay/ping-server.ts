import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TakenPing } from '../../contract/agent-pings.ts'
import { AppError } from '../../lib/app-error.ts'
import { type ListenAddress, listen } from '../../lib/listen.ts'
import { isLinkPreview } from '../../rules/link-previews.ts'
import { pingMethods } from '../../rules/ping-request.ts'
import type { PingTokens } from './ping-tokens.ts'
import { askedPing, readPing } from './read-ping.ts'

export interface PingServerOptions extends ListenAddress {
  /** Epoch ms by the service's clock; null while nobody knows it. */
  readonly serviceTime: () => number | null
  /** Resolves when the ping is on the disk, and rejects when it is not. */
  readonly store: (ping: TakenPing) => Promise<void>
  readonly tokens: PingTokens
}

export interface PingServer {
  readonly port: number
  /** Takes no more; those on their way to the disk have their answers first. */
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a slow client has for its headers, and for the whole of its request. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const keepAliveMs = 5000
const mostConnections = 2000
/** Whoever opens connections and says nothing leaves room for others. */
const mostOfOneAddress = 500
/** Pings on their way to the disk. */
const mostAtOnce = 1000
/** For those that are on their way when the server closes. */
const lastAnswersMs = 2000

const taken: Answer = { status: 200, text: 'OK' }
const notFound: Answer = { status: 404, text: 'there is no such heartbeat' }
const wrongMethod: Answer = {
  status: 405,
  text: `a heartbeat is pinged by ${pingMethods.join(', ')}`,
  headers: { allow: pingMethods.join(', ') },
}
const unstored: Answer = {
  status: 503,
  text: 'the ping could not be kept, try again',
  headers: { 'retry-after': '5' },
}
const tooMany = (waitMs: number): Answer => ({
  status: 429,
  text: 'this heartbeat was pinged too often',
  headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
})

/**
 * Takes pings for the service where jobs cannot reach it, by the rules of its own ping URLs (semantics §7). Which tokens
 * there are is the service's to say.
 * @throws AppError PING_PORT_IN_USE or PING_ADDRESS_UNUSABLE
 */
export async function startPingServer(options: PingServerOptions): Promise<PingServer> {
  const answer = pingAnswers(options)
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: keepAliveMs,
  }
  const server = createServer(limits, (request, response) => {
    answer(request).then(
      (found) => send(request, response, found),
      () => send(request, response, unstored),
    )
  })
  server.maxConnections = mostConnections
  server.on('connection', shareOut())
  const port = await listen(server, options, (cause) => listenError(cause, options.port))
  return { port, close: () => close(server) }
}

/** Ends connections of an address that has too many open. */
function shareOut(): (socket: Socket) => void {
  const open = new Map<string, number>()
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    const others = open.get(address) ?? 0
    if (others >= mostOfOneAddress) return void socket.destroy()
    open.set(address, others + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  }
}

function pingAnswers({
  serviceTime,
  store,
  tokens,
}: PingServerOptions): (request: IncomingMessage) => Promise<Answer> {
  let storing = 0
  return async (request) => {
    const at = serviceTime()
    const asked = askedPing(request)
    if (asked.kind === 'refused') return asked.status === 404 ? notFound : wrongMethod
    if (tokens.isUnknown(asked.token)) return notFound
    const waitMs = tokens.count(asked.token)
    if (waitMs > 0) return tooMany(waitMs)
    const ping = await readPing(request, asked, at)
    if (ping.userAgent !== null && isLinkPreview(ping.userAgent)) return taken
    if (storing >= mostAtOnce) return unstored
    storing += 1
    try {
      await store(ping)
      return taken
    } finally {
      storing -= 1
    }
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, headers = {} }: Answer,
): void {
  // What was not read of a refused request is not looked at.
  request.resume()
  const always = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(status, { ...always, ...headers })
  response.end(request.method === 'HEAD' ? '' : text)
}

function listenError(cause: NodeJS.ErrnoException, port: number): AppError {
  const details = { fatal: true, cause }
  return cause.code === 'EADDRINUSE'
    ? new AppError(
        'PING_PORT_IN_USE',
        `Port ${port} for pings is in use: set AGENT_PING_PORT to a free one`,
        details,
      )
    : new AppError(
        'PING_ADDRESS_UNUSABLE',
        'Pings cannot be listened for: look at AGENT_PING_HOST and AGENT_PING_PORT',
        details,
      )
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const hurry = setTimeout(() => server.closeAllConnections(), lastAnswersMs)
  await closed
  clearTimeout(hurry)
}
