// Targets as they are out there: well, failing, silent, slow, broken off, badly certified, large.
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { freePort } from '../../test/support/free-port.ts'
import { type Certificate, readCertificate } from '../../test/support/http-target.ts'
import { listen } from '../support/child.ts'

const large = 'The quick brown fox jumps over the lazy dog. '.repeat(10_000)

const head = (status: string, length: number, headers: readonly string[] = []) =>
  [`HTTP/1.1 ${status}`, `content-length: ${length}`, 'connection: close', ...headers, '', ''].join('\r\n')

const respond = (status: string, headers: readonly string[], body: string | Buffer) => (socket: Socket) => {
  socket.write(head(status, Buffer.byteLength(body), headers))
  socket.end(body)
}
const ok = respond('200 OK', ['content-type: application/json'], '{"ok":true}')

function redirects(socket: Socket, request: string): void {
  const hop = Number(/^GET \/(\d+)/.exec(request)?.[1] ?? 0)
  if (hop === 3) ok(socket)
  else respond('302 Found', [`location: /${hop + 1}`], '')(socket)
}

function onRequest(serve: (socket: Socket, request: string) => void): (socket: Socket) => void {
  return (socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (request: Buffer) => serve(socket, request.toString('latin1')))
  }
}

const plain = (serve: (socket: Socket, request: string) => void) => createServer(onRequest(serve))
const secure = (certificate: Certificate) =>
  createSecureServer(
    { cert: readCertificate(certificate), key: readCertificate('server-key') },
    onRequest(ok),
  ).on('tlsClientError', () => {})

interface Kind {
  /** Of every hundred checks. */
  readonly share: number
  readonly server: Server
  readonly scheme?: 'https'
}

const kinds: Readonly<Record<string, Kind>> = {
  passing: { share: 40, server: plain(ok) },
  failing: { share: 8, server: plain(respond('500 Internal Server Error', [], 'no')) },
  'secure, passing': { share: 12, server: secure('valid'), scheme: 'https' },
  'secure, of another name': { share: 3, server: secure('wrong-host'), scheme: 'https' },
  redirecting: { share: 6, server: plain(redirects) },
  'redirecting in a circle': { share: 2, server: plain(respond('302 Found', ['location: /'], '')) },
  large: { share: 3, server: plain(respond('200 OK', ['content-type: text/plain'], large)) },
  compressed: { share: 3, server: plain(respond('200 OK', ['content-encoding: gzip'], gzipSync(large))) },
  slow: { share: 6, server: plain((socket) => setTimeout(ok, 1000 + Math.random() * 2000, socket)) },
  silent: { share: 4, server: plain(() => {}) },
  resetting: { share: 4, server: plain((socket) => socket.resetAndDestroy()) },
  truncating: { share: 4, server: plain((socket) => socket.end(`${head('200 OK', 1000)}half`)) },
  garbled: { share: 2, server: plain((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')) },
}

const urls: string[] = []
for (const { share, server, scheme = 'http' } of Object.values(kinds)) {
  const url = `${scheme}://127.0.0.1:${await listen(server)}/`
  urls.push(...Array.from({ length: share }, () => url))
}
// The rest of the hundred is refused.
const refused = `http://127.0.0.1:${await freePort()}/`
while (urls.length < 100) urls.push(refused)
process.on('disconnect', () => process.exit(0))
process.send?.({ urls })
