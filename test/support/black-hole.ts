import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface BlackHole {
  readonly port: number
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

// Listens, tells its port, and never accepts. Ends with the process that started it.
const deafListener = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    const { ppid } = process
    while (process.ppid === ppid) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    process.exit()
  })`

/** As many as wait for a listener with a backlog of one. */
const waiting = 2

/** A port of 127.0.0.1 where connections are neither taken nor refused: its listener is deaf and its backlog full. */
export async function startBlackHole(): Promise<BlackHole> {
  const child = spawn(process.execPath, ['--eval', deafListener], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const [told]: unknown[] = await once(child.stdout, 'data')
  const port = Number(String(told))
  const sockets: Socket[] = []
  for (let connected = 0; connected < waiting; connected += 1) {
    const socket = connect({ host: '127.0.0.1', port })
    sockets.push(socket)
    await once(socket, 'connect')
    socket.on('error', () => {})
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
      await exited
    },
  }
}
