import { AppError } from '../lib/app-error.ts'
import type { Logger } from '../lib/logger.ts'

export interface FaultLogOptions {
  readonly logger: Logger
  readonly monotonicMs: () => number
}

const repeatAfterMs = 60_000

/** What to do about a fault that has a name. */
const advice: Readonly<Record<string, string>> = {
  ADDRESS_FAMILY_MISSING: 'give this machine an address of that family, or let the checks use the other',
  JUDGING_OVERDUE: 'look for checks with costly regular expressions or JSONPaths',
  OUT_OF_SOCKETS: 'lower JOB_CONCURRENCY, or raise the limit of open files (ulimit -n)',
  PROXY_UNUSABLE: "look at the location's proxyUrl, and whether the proxy is up",
  BODY_MEMORY_FULL: 'raise PICKET_BODY_MEMORY_MB, or lower JOB_CONCURRENCY',
}

/**
 * Says what of our own ended attempts, by its code: at once when it begins, and once a minute with their number while
 * it goes on, so that two hundred checks that meet one fault do not hide it among themselves.
 */
export function createFaultLog({ logger, monotonicMs }: FaultLogOptions): (error: unknown) => void {
  const known = new Map<string, { saidMs: number; unsaid: number }>()
  return (error) => {
    const code = error instanceof AppError ? error.code : 'UNEXPECTED'
    const before = known.get(code)
    const now = monotonicMs()
    if (before && now - before.saidMs < repeatAfterMs) {
      before.unsaid += 1
      return
    }
    known.set(code, { saidMs: now, unsaid: 0 })
    const attempts = 1 + (before?.unsaid ?? 0)
    const text = 'a fault of the agent ended attempts, which say nothing about their targets'
    logger.error({ err: error, attempts }, code in advice ? `${text}: ${advice[code]}` : text)
  }
}
