import { idBeside, orderedId } from '../lib/ids.ts'

/** A slot's run has one id, whoever plans it: planning twice is planning once. */
export const runIdOf = (checkId: string, location: string, dueAt: number): string =>
  orderedId(dueAt, checkId, location)

/** The same attempt is one result, whoever made it. */
export const resultIdOf = (runId: string, attempt: number): string => idBeside(runId, attempt)
