// A port whose queue of connections can be filled while this process is stopped: SYNs are dropped then, and the kernel
// of whoever sent one sends it again about a second later. Notes when it accepted what.
import { createServer } from 'node:net'
import { answerParent, listen } from '../support/child.ts'
import { monotonicMs, TargetRecords } from './marks.ts'

/** Room for all that come in a burst once it goes on. */
const backlog = 64
const records = new TargetRecords()

const server = createServer({ noDelay: true }, (socket) => {
  const acceptedMs = monotonicMs()
  socket
    .on('error', () => socket.destroy())
    .once('data', (request) => {
      const [, lane] = /^GET \/(\d+)/.exec(request.toString('latin1')) ?? []
      records.begin('connect', Number(lane))('accepted', acceptedMs)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
    })
})
const port = await listen(server, backlog)
answerParent(() => records.all)
process.on('disconnect', () => process.exit(0))
process.send?.({ port, fillers: backlog + 1 })
