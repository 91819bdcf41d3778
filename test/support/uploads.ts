import { expect } from 'vitest'
import type { Result } from '../../src/contract/result.ts'
import { enqueueRuns } from '../../src/storage/check-runs.ts'
import type { Database } from '../../src/storage/database.ts'
import { agentId, resultOf } from './agent-messages.ts'
import { addCheck, runRows } from './storage-rows.ts'
import type { TestService } from './test-service.ts'

/** A passing result of each of so many runs, which are in the ledger. */
export async function resultsToUpload(service: TestService, count: number): Promise<Result[]> {
  const { accountId, database } = service
  const at = service.clock.now()
  const definition = '{"name":"Shop","locations":["eu-west-1"],"frequency":1}'
  const check = await addCheck(database, accountId, { definition, nextDueAt: at + 3_600_000 })
  const runs = runRows(count, { accountId, checkId: check.id })
  await enqueueRuns(database.kysely, runs)
  return runs.map((run) => resultOf({ ...run, checkId: check.id }, run.dueAt, 'passing'))
}

export interface Uploaded {
  readonly acknowledged: readonly string[]
  /** Answers that said to try again. */
  readonly refusals: number
}

/** Each result by itself, several at a time, until it is acknowledged: a refusal must say that it may be sent again. */
export async function uploadAll(
  service: TestService,
  results: readonly Result[],
  onAcknowledged: (count: number) => void = () => {},
): Promise<Uploaded> {
  const waiting = [...results]
  const acknowledged: string[] = []
  let refusals = 0
  const work = async () => {
    for (let result = waiting.pop(); result; ) {
      const answer = await service.agent('results', { agentId, results: [result] })
      if (answer.statusCode === 200) {
        expect(answer.json()).toEqual({ accepted: 1, refused: [] })
        acknowledged.push(result.id)
        onAcknowledged(acknowledged.length)
        result = waiting.pop()
        continue
      }
      refusals += 1
      expect(answer.json()).toMatchObject({ statusCode: 503, error: 'Service Unavailable' })
      expect(answer.headers['retry-after']).toMatch(/^\d+$/)
      // As an agent does: a sender that is refused pauses before it tries again.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return { acknowledged, refusals }
}

export async function storedResultIds(database: Database): Promise<string[]> {
  const rows = await database.kysely.selectFrom('checkResults').select('id').execute()
  return rows.map(({ id }) => id)
}
