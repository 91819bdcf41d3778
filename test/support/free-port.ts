import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to connections and to whoever asks for any: none of them is taken meanwhile. */
const lowest = 10_240
const count = 22_000
/** Processes that begin one after the other begin apart. */
let next = (process.pid * 97) % count

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = lowest + next
    next = (next + 1) % count
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
