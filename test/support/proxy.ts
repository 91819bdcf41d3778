import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { pem } from './tls-target.ts'

export interface Proxy {
  readonly port: number
  /** What was asked of it, as `CONNECT localhost:443` or `GET http://localhost/`, in the order of coming. */
  readonly asked: string[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

interface ProxyOptions {
  /** Spoken to over TLS, with the test certificate of this name. */
  readonly certificate?: string
  /** Whom it serves: `user:password`; anybody unless told. */
  readonly credentials?: string
  /** All names are hosts of 127.0.0.1; a status instead of a tunnel where it is told. */
  readonly refuseWith?: number
  /** Said right behind the head that opens a tunnel, in the same packet. */
  readonly early?: string
}

/** A proxy on a free port of 127.0.0.1: it opens tunnels and forwards plain requests, all to 127.0.0.1. */
export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const asked: string[] = []
  const open = new Set<Socket>()
  const server: Server =
    options.certificate === undefined
      ? createServer()
      : createSecureServer({ cert: pem(options.certificate), key: pem('server-key') })
  const follow = (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
  }
  server.on('connection', follow)
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    follow(client)
    asked.push(`CONNECT ${incoming.url}`)
    const status = statusFor(incoming, options)
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const upstream = connect(portOf(`http://${incoming.url}`), '127.0.0.1', () => {
      client.write(`HTTP/1.1 200 Connection established\r\n\r\n${options.early ?? ''}`)
      upstream.pipe(client).pipe(upstream)
    })
    follow(upstream)
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.end())
  })
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    const status = statusFor(incoming, options)
    if (status !== 200) return void response.writeHead(status, { 'proxy-authenticate': 'Basic' }).end()
    const { method, headers, url = '' } = incoming
    const { pathname, search } = new URL(url)
    const path = pathname + search
    const forwarded = request({ host: '127.0.0.1', port: portOf(url), method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(forwarded.on('error', () => response.writeHead(502).end()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    port: address.port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

function statusFor({ headers }: IncomingMessage, { credentials, refuseWith = 200 }: ProxyOptions): number {
  if (credentials === undefined) return refuseWith
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`
  return headers['proxy-authorization'] === expected ? refuseWith : 407
}

function portOf(url: string): number {
  const { port } = new URL(url)
  return port === '' ? 80 : Number(port)
}
