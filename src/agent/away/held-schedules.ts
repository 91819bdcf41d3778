import type { Capabilities } from '../../contract/agent-protocol.ts'
import type { Schedules } from '../../contract/agent-schedules.ts'
import type { Logger } from '../../lib/logger.ts'
import { loop } from '../../lib/loop.ts'
import type { Bell } from '../bell.ts'
import type { Definitions } from '../definitions.ts'
import { type ServiceClient, ServiceRefused } from '../service-client.ts'

export interface HeldSchedulesOptions {
  readonly agentId: string
  readonly capabilities: Capabilities
  readonly service: Pick<ServiceClient, 'schedules'>
  readonly definitions: Definitions
  readonly logger: Logger
  readonly onRead: () => void
  readonly onReadFailed: (error: unknown, retryInMs: number) => void
  /** Rings when a run was given whose check is not held in that version. */
  readonly unknown: Bell
  /** They are not those of before. */
  readonly onChanged: (schedules: Schedules) => void
  readonly everyMs?: number
}

const notFound = 404
/** Checks are often made and changed many at a time. */
const gatherMs = 2000
/** A service of an earlier version may become one of this. */
const askAgainMs = 10 * 60_000

/**
 * Keeps the schedules of the checks that this agent may be given, and their definitions, until the signal ends it: what
 * it takes to go on alone. The definitions come before the schedules count.
 */
export function keepSchedules(options: HeldSchedulesOptions, signal: AbortSignal): Promise<void> {
  const { everyMs = 60_000 } = options
  let known: string | null = null
  let said = false
  return loop({
    turn: async () => {
      try {
        known = await readSchedules(options, known, signal)
        await options.unknown.wait(AbortSignal.any([signal, AbortSignal.timeout(everyMs)]))
        return gatherMs
      } catch (error) {
        if (!(error instanceof ServiceRefused) || error.statusCode !== notFound) throw error
        if (!said) options.logger.info('the service gives no schedules: without it no checks run here')
        said = true
        return askAgainMs
      }
    },
    onError: options.onReadFailed,
    signal,
    backoff: { baseMs: 1000, maxMs: 30_000 },
  })
}

/** Returns the revision that is held now. */
async function readSchedules(
  options: HeldSchedulesOptions,
  known: string | null,
  signal: AbortSignal,
): Promise<string> {
  const { agentId, capabilities, service, definitions, onRead, onChanged } = options
  const { revision, schedules } = await service.schedules({ agentId, capabilities, known }, signal)
  if (schedules) {
    const missing = schedules.checks.filter((check) => !definitions.holds(check))
    definitions.reserve(schedules.checks.length)
    await definitions.fetch(
      missing.map(({ checkId }) => checkId),
      signal,
    )
    onChanged(schedules)
  }
  onRead()
  return revision
}
