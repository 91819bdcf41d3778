import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'

const certificates = new URL('./certificates/', import.meta.url)

/** The text of `certificates/<name>.pem`; several are joined. */
export function pem(...names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(`${name}.pem`, certificates), 'utf8')).join('')
}

export interface TlsTarget {
  readonly port: number
  /** The server names that clients asked for, in their order; false for none. */
  readonly serverNames: (string | false)[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

interface TlsTargetOptions extends TlsOptions {
  readonly onConnection?: (socket: TLSSocket) => void
}

/** A TLS server on a free port of 127.0.0.1, with the certificate `valid` unless told. It says nothing unless told. */
export async function startTlsTarget(options: TlsTargetOptions = {}): Promise<TlsTarget> {
  const { onConnection = (socket) => socket.resume(), ...tls } = options
  const serverNames: (string | false)[] = []
  const open = new Set<TLSSocket>()
  const server = createServer({ cert: pem('valid'), key: pem('server-key'), ...tls }, (socket) => {
    open.add(socket)
    serverNames.push(socket.servername || false)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    onConnection(socket)
  })
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    port: address.port,
    serverNames,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}
