import type { Run } from '../../src/contract/run.ts'
import { newId } from '../../src/lib/ids.ts'
import { apiDefinition } from './api-definition.ts'

/** A run of `apiDefinition`'s check, due now. */
export function dueRun(run: Partial<Run> = {}): Run {
  const dueAt = run.dueAt ?? Date.now()
  return {
    id: newId(),
    checkId: apiDefinition('http://target.test/').checkId,
    version: 1,
    location: 'eu-west-1',
    dueAt,
    intervalMs: 60_000,
    attempt: 1,
    attemptAt: dueAt,
    firstStartedAt: null,
    ...run,
  }
}
