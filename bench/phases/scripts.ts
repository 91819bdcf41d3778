import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Mark } from './marks.ts'

type SetMark = (mark: Mark) => void
type Act = (socket: Socket, mark: SetMark) => void | Promise<void>
/** What a target does with one connection. It marks a step right before it takes it. */
type Script = (socket: Socket, mark: SetMark, tlsPort: number) => void

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\nconnection: close\r\n\r\n'
const piece = '0123456789'
const pieces = 5
const answer = head + piece.repeat(pieces)

/** The last character of a large request, and nowhere else in its body. */
export const endOfRequest = '.'

/** Long enough to be told from the next phase, short enough for thousands of samples. */
const shortestMs = 20
const longestMs = 180
export const aWhileMs = (): number => shortestMs + Math.random() * (longestMs - shortestMs)

const onRequest =
  (act: Act): Script =>
  (socket, mark) => {
    socket.once('data', () => {
      mark('request')
      void act(socket, mark)
    })
  }

/** The first thing that is sent, if anything, comes after a while. */
const later = (act: (socket: Socket) => void | Promise<void>): Script =>
  onRequest(async (socket, mark) => {
    await wait(aWhileMs())
    mark('answered')
    await act(socket)
  })

/** Head and first piece come at once. */
const begun = (act: Act): Script =>
  onRequest((socket, mark) => {
    mark('answered')
    socket.write(head + piece)
    return act(socket, mark)
  })

const endLater =
  (end: (socket: Socket) => void): Act =>
  async (socket, mark) => {
    await wait(aWhileMs())
    mark('ended')
    end(socket)
  }

/** The prober is the one who ends it. */
const untilGone: Act = (socket, mark) => {
  socket.on('end', () => mark('ended')).on('close', () => mark('ended'))
}

const trickle: Act = async (socket, mark) => {
  const eachMs = aWhileMs() / (pieces - 1)
  for (let sent = 1; sent < pieces; sent += 1) {
    await wait(eachMs)
    if (sent === pieces - 1) mark('ended')
    socket.write(piece)
  }
  socket.end()
}

/** The status line comes alone; the first byte is its. */
const inTwo = async (socket: Socket): Promise<void> => {
  const lineEnd = answer.indexOf('\n') + 1
  socket.write(answer.slice(0, lineEnd))
  await wait(aWhileMs())
  socket.end(answer.slice(lineEnd))
}

/** Reads nothing for a while: a request larger than what the system holds for both ends cannot be sent. */
const slowReader: Script = (socket, mark) => {
  socket.pause().on('data', (chunk: Buffer) => {
    if (chunk.at(-1) !== endOfRequest.charCodeAt(0)) return
    mark('request')
    socket.end(answer)
  })
  void wait(aWhileMs()).then(() => {
    mark('resumed')
    socket.resume()
  })
}

const onHello =
  (act: Act): Script =>
  (socket, mark) => {
    mark('accepted')
    socket.once('data', () => void act(socket, mark))
  }

/** Holds the ClientHello back. What the client sends next ends its handshake. */
const relayTls: Script = (socket, mark, tlsPort) => {
  mark('accepted')
  const upstream = connect({ port: tlsPort, host: '127.0.0.1', noDelay: true })
  upstream.on('error', () => socket.destroy()).pipe(socket)
  socket.on('close', () => upstream.destroy())
  socket.once('data', (hello) => {
    socket.pause()
    void wait(aWhileMs()).then(() => {
      upstream.write(hello)
      socket.on('data', () => mark('ended')).pipe(upstream)
      socket.resume()
    })
  })
}

const reset = (socket: Socket) => void socket.resetAndDestroy()
const close = (socket: Socket) => void socket.end()

export const scripts = {
  plain: onRequest((socket) => void socket.end(answer)),
  'slow-reader': slowReader,
  'first-byte': later((socket) => void socket.end(answer)),
  control: later((socket) => void socket.end(answer)),
  'first-byte-in-two': later(inTwo),
  'first-byte-reset': later(reset),
  'first-byte-closed': later(close),
  'first-byte-silent': onRequest(untilGone),
  download: begun(trickle),
  'download-reset': begun(endLater(reset)),
  'download-truncated': begun(endLater(close)),
  'download-silent': begun(untilGone),
  tls: relayTls,
  'tls-reset': onHello(endLater(reset)),
  'tls-silent': onHello(untilGone),
} as const satisfies Readonly<Record<string, Script>>

export type ScriptName = keyof typeof scripts
