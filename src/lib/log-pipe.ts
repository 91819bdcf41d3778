import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'

/** What may wait for whoever reads the log, in bytes. */
const maxWaiting = 1024 * 1024

/**
 * Standard output, where that is a pipe: a reader that is gone, or that reads no more, must not stop a process that has
 * other work. What has no room is left out, and said where the next line that has some stands. Null where it is no pipe.
 */
export function logPipe(fd = 1): DestinationStream | null {
  const stat = fstatSync(fd)
  if (!stat.isFIFO() && !stat.isSocket()) return null
  const pipe = new Socket({ fd, readable: false, writable: true })
  let leftOut = 0
  pipe.on('error', () => pipe.destroy())
  // It alone keeps no process alive.
  pipe.unref()
  return {
    write: (line) => {
      if (pipe.destroyed) return
      if (pipe.writableLength > maxWaiting) {
        leftOut += 1
        return
      }
      if (leftOut > 0)
        pipe.write(
          `${JSON.stringify({ level: 40, time: Date.now(), leftOut, msg: 'log lines had no room' })}\n`,
        )
      leftOut = 0
      pipe.write(line)
    },
  }
}
