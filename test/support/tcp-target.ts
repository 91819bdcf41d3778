import { createServer, type Socket } from 'node:net'

export interface TcpTarget {
  readonly port: number
  readonly origin: string
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A TCP server on a free port of 127.0.0.1 that does what it likes with each connection. */
export async function startTcpTarget(onConnection: (socket: Socket) => void): Promise<TcpTarget> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Answers each connection's first bytes with these, then ends it. */
export function answerRaw(text: string): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => socket.end(text))
  }
}
