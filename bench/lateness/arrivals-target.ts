// Answers at once and notes when each request came: what the agent says of its lateness, seen from outside.
import { createServer } from 'node:net'
import { answerParent, listenAndSay } from '../support/child.ts'

export interface Arrival {
  readonly checkId: string
  /** Epoch milliseconds with fractions. */
  readonly at: number
}

const arrivals: Arrival[] = []
answerParent(() => arrivals)

await listenAndSay(
  createServer({ noDelay: true }, (socket) => {
    socket
      .on('error', () => socket.destroy())
      .once('data', (request) => {
        const at = performance.timeOrigin + performance.now()
        const [, checkId = ''] = /^GET \/(\S+)/.exec(request.toString('latin1')) ?? []
        arrivals.push({ checkId, at })
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
      })
  }),
)
