import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A network between two of ours on 127.0.0.1, which can be cut and slowed. */
export interface Way {
  readonly port: number
  /** What is open is reset, what comes is reset as well. */
  cut(): void
  slow(ms: number): void
  heal(): void
  close(): void
}

export async function openWay(to: number): Promise<Way> {
  const open = new Set<Socket>()
  let isCut = false
  let delayMs = 0
  const follow = (socket: Socket, other: Socket) => {
    let sent = Promise.resolve()
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => other.destroy())
    socket.on('data', (chunk) => {
      const dueAt = performance.now() + delayMs
      sent = sent.then(() => untilDue(dueAt)).then(() => void other.write(chunk))
    })
    socket.on('end', () => {
      sent = sent.then(() => void other.end())
    })
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isCut) return void near.resetAndDestroy()
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    follow(near, far)
    follow(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return {
    port: address.port,
    cut: () => {
      isCut = true
      for (const socket of open) socket.resetAndDestroy()
    },
    slow: (ms) => {
      delayMs = ms
    },
    heal: () => {
      isCut = false
      delayMs = 0
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

async function untilDue(dueAt: number): Promise<void> {
  const waitMs = dueAt - performance.now()
  if (waitMs > 0) await sleep(waitMs)
}
