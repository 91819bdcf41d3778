import { runIdOf } from '../../src/contract/run-ids.ts'
import { checkIdOf } from './stored-result.ts'

export const slotEveryMs = 10_000

/** The run of a check's slot: the same in every process that asks. */
export function claimedRun(check: number, slot: number, from: number) {
  const [checkId, location] = [checkIdOf(check), 'eu-west-1']
  const dueAt = from + slot * slotEveryMs + (check % slotEveryMs)
  return { id: runIdOf(checkId, location, dueAt), checkId, location, dueAt }
}
