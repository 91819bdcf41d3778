// Loaded into a measured process before its own program: it tells the parent what it spent and what it holds.
import { answerParent } from '../support/child.ts'

export interface Spent {
  /** User and system time since it was started. */
  readonly cpuSeconds: number
  readonly rssMb: number
  readonly heapMb: number
  /** The most that it ever held. */
  readonly peakMb: number
}

const megabyte = 2 ** 20

answerParent((): Spent => {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    cpuSeconds: (user + system) / 1e6,
    rssMb: rss / megabyte,
    heapMb: heapUsed / megabyte,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }
})
