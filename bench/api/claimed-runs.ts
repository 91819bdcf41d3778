import { checkIdOf, spreadId } from './stored-result.ts'

export const slotEveryMs = 10_000

/** The run of a check's slot: the same in every process that asks. */
export function claimedRun(check: number, slot: number, from: number) {
  return {
    id: spreadId(check, slot, 3),
    checkId: checkIdOf(check),
    location: 'eu-west-1',
    dueAt: from + slot * slotEveryMs + (check % slotEveryMs),
  }
}
