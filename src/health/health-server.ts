import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { AppError } from '../lib/app-error.ts'
import { listen } from '../lib/listen.ts'

/** The body of GET /health. */
export interface HealthReport {
  readonly status: 'ok' | 'draining'
  readonly version: string
  readonly uptimeSeconds: number
  readonly queue: {
    readonly running: number
    readonly waiting: number
    readonly held: number
    readonly concurrency: number
  }
  readonly outbox: { readonly depth: number; readonly oldestAgeSeconds: number | null }
  /** Since when the service cannot be reached (ISO 8601; null while it can), and the runs that the agent planned by itself. */
  readonly away: { readonly since: string | null; readonly ownRuns: number }
  /** How ICMP checks are carried out, as `raw-socket`; `none` where this machine permits nothing, and what to do then. */
  readonly icmp: { readonly way: string; readonly advice: string | null }
  /** ISO 8601; null before the first answer of the service. */
  readonly lastPollAt: string | null
  /** A stable code; null while polls succeed. */
  readonly lastPollError: string | null
}

export interface HealthOptions {
  readonly host: string
  readonly port: number
  /** False while the agent starts and while it shuts down. */
  readonly ready: () => boolean
  readonly report: () => HealthReport
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
}

export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

type Answer = { readonly status: number; readonly contentType: string; readonly text: string }
type Route = () => Answer | Promise<Answer>

const plain = (status: number, text: string): Answer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  text: `${text}\n`,
})

function routesOf(options: HealthOptions): ReadonlyMap<string, Route> {
  const { ready, report, metrics } = options
  return new Map<string, Route>([
    ['/-/readiness', () => (ready() ? plain(200, 'ready') : plain(503, 'not ready'))],
    ['/-/liveness', () => plain(200, 'alive')],
    ['/health', () => ({ status: 200, contentType: 'application/json', text: JSON.stringify(report()) })],
    ['/metrics', async () => ({ status: 200, ...(await metrics()) })],
  ])
}

/** The endpoints that an orchestrator and Prometheus ask (service.md). @throws AppError HEALTH_PORT_IN_USE */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  const routes = routesOf(options)
  const server = createServer((request, response) => {
    answer(routes, request).then(
      (found) => send(request, response, found),
      () => send(request, response, plain(500, 'this could not be answered')),
    )
  })
  const port = await listen(server, options, (cause) => listenError(cause, options.port))
  return { port, close: () => close(server) }
}

async function answer(
  routes: ReadonlyMap<string, Route>,
  { url = '', method }: IncomingMessage,
): Promise<Answer> {
  const there = `There is GET ${[...routes.keys()].join(', GET ')}.`
  const route = routes.get(url.replace(/\?.*/, ''))
  if (!route) return plain(404, `There is nothing here. ${there}`)
  if (method !== 'GET' && method !== 'HEAD') return plain(405, `Only GET is possible. ${there}`)
  return await route()
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, text }: Answer,
): void {
  const allow = status === 405 ? { allow: 'GET, HEAD' } : {}
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', ...allow })
  response.end(request.method === 'HEAD' ? '' : text)
}

function listenError(cause: NodeJS.ErrnoException, port: number): AppError {
  return cause.code === 'EADDRINUSE'
    ? new AppError(
        'HEALTH_PORT_IN_USE',
        `Port ${port} of the health endpoints is in use: set AGENT_HEALTH_PORT to a free one`,
        { fatal: true, cause },
      )
    : new AppError(
        'HEALTH_ADDRESS_UNUSABLE',
        'The health endpoints cannot listen: look at AGENT_HEALTH_HOST and AGENT_HEALTH_PORT',
        { fatal: true, cause },
      )
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
