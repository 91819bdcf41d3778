// The bare limit of the runtime: a socket, a request written, bytes read until the target ends the connection. Of a
// tcp: URL only the connection is made.
import { connect, type Socket } from 'node:net'
import { createSecureContext, connect as secureConnect } from 'node:tls'
import { countLoop } from './counted-loop.ts'

const secureContext = createSecureContext()

const request = (host: string) => `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`

/** Resolves when the socket is gone. */
function connectOnly({ hostname, port }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => socket.destroy())
    socket.on('error', reject).on('close', () => resolve())
  })
}

function open({ protocol, hostname, port }: URL, ready: () => void): Socket {
  const address = { host: hostname, port: Number(port) }
  return protocol === 'https:'
    ? secureConnect({ ...address, secureContext }, ready)
    : connect({ ...address, noDelay: true }, ready)
}

function exchange(url: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = open(url, () => socket.write(request(url.host)))
    socket
      .setEncoding('latin1')
      .on('data', (text: string) => {
        answer += text
      })
      .on('error', reject)
      .on('close', () => {
        if (answer.startsWith('HTTP/1.1 200 ') && answer.endsWith('}')) resolve()
        else reject(new Error('the answer is not what the target sends'))
      })
  })
}

await countLoop((text) => {
  const url = new URL(text)
  return url.protocol === 'tcp:' ? connectOnly(url) : exchange(url)
})
