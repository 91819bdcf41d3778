import { once } from 'node:events'
import { WebSocket } from 'undici'

/** For NODE_OPTIONS of a process whose garbage is to be collected from outside. */
export const inspectable = '--inspect=127.0.0.1:0'

export interface Collector {
  /** Resolves when the process has collected all that nothing refers to. */
  collect(): Promise<void>
  close(): void
}

/** Speaks to the inspector of a process that was started with `inspectable`. @param stderr where it said its address */
export async function openCollector(stderr: string): Promise<Collector> {
  const [url] = /ws:\/\/\S+/.exec(stderr) ?? []
  if (!url) throw new Error('the process has no inspector')
  const socket = new WebSocket(url)
  await once(socket, 'open')
  let id = 0
  return {
    collect: async () => {
      id += 1
      const answered = once(socket, 'message')
      socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }))
      await answered
    },
    close: () => socket.close(),
  }
}
