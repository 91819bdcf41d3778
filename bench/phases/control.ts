import { connect } from 'node:net'
import { monotonicMs } from './marks.ts'
import type { Seen } from './scenarios.ts'

/** The first byte as a bare socket sees it: what of an error is the machine's, and nobody's fault. */
export function bareFirstByte(port: number): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const startedMs = monotonicMs()
    let sentMs = Number.NaN
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => {
      socket.write('GET / HTTP/1.1\r\n\r\n')
      sentMs = monotonicMs()
    })
    socket.on('error', reject).once('data', () => {
      const settledMs = monotonicMs()
      socket.destroy()
      resolve({ startedMs, settledMs, phaseEndedMs: settledMs, phaseMs: settledMs - sentMs })
    })
  })
}
