// What is probed: a socket that answers whatever comes first with the same 27 bytes of JSON, then ends. A process of
// its own, so that its work is on nobody's account. Asked by the parent, it tells how many TLS sessions were resumed.
import { createServer, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { readCertificate } from '../../test/support/http-target.ts'
import { answerParent, listenAndSay } from './child.ts'

const body = '{"ok":true,"items":[1,2,3]}'
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
const secure = process.argv[2] === 'https'
let handshakes = 0
let resumed = 0

function serve(socket: Socket): void {
  socket.on('error', () => socket.destroy()).once('data', () => socket.end(answer))
}

const server = secure
  ? createSecureServer(
      // One key exchange for all: the default ones of the probers' libraries differ, and so do their costs.
      { cert: readCertificate('valid'), key: readCertificate('server-key'), ecdhCurve: 'X25519' },
      (socket) => {
        handshakes += 1
        if (socket.isSessionReused()) resumed += 1
        serve(socket)
      },
    )
  : createServer({ noDelay: true }, serve)
answerParent(() => ({ handshakes, resumed }))
await listenAndSay(server, secure ? 'https' : 'http')
