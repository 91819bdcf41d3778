import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export type Route = (response: ServerResponse, request: ReceivedRequest) => void

export interface HttpTarget {
  readonly port: number
  /** `http://127.0.0.1:49152`, or with https and localhost for a secure one. */
  readonly origin: string
  /** In the order of their coming. */
  readonly requests: ReceivedRequest[]
  /** How many connections were made to it. */
  readonly connections: () => number
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export type Certificate = 'valid' | 'expired' | 'not-yet-valid' | 'wrong-host' | 'self-signed'

const certificates = new URL('./certificates/', import.meta.url)

export function readCertificate(name: Certificate | 'ca' | 'server-key'): string {
  return readFileSync(new URL(`${name}.pem`, certificates), 'utf8')
}

/** A real HTTP server on a free port of 127.0.0.1. Paths without a route answer 404. */
export function startHttpTarget(routes: Readonly<Record<string, Route>>): Promise<HttpTarget> {
  return listen(createServer(), 'http://127.0.0.1', routes)
}

/** The same over TLS, with one of the test certificates. */
export function startHttpsTarget(
  certificate: Certificate,
  routes: Readonly<Record<string, Route>>,
): Promise<HttpTarget> {
  const server = createSecureServer({
    cert: readCertificate(certificate),
    key: readCertificate('server-key'),
  })
  return listen(server, 'https://localhost', routes)
}

async function listen(
  server: Server,
  host: string,
  routes: Readonly<Record<string, Route>>,
): Promise<HttpTarget> {
  const requests: ReceivedRequest[] = []
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.on('request', async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming)
    requests.push(request)
    const route = routes[request.url.replace(/\?.*/, '')]
    if (route) route(response, request)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    port: address.port,
    origin: `${host}:${address.port}`,
    requests,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = '', url = '', headers, rawHeaders } = incoming
  return { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString('utf8') }
}
