import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { addCheck } from '../support/storage-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let definition: string
beforeEach(async () => {
  service = await startTestService()
  definition = JSON.stringify(apiCheckBody({ tags: ['all'], activated: true }))
})
afterEach(() => service.close())

async function haveChecks(count: number, createdAt = 1): Promise<string[]> {
  const ids: string[] = []
  await service.database.transaction(async (kysely) => {
    const database = { ...service.database, kysely }
    for (let n = 0; n < count; n += 1)
      ids.push(
        (await addCheck(database, service.accountId, { definition, createdAt: createdAt + (n % 3) })).id,
      )
  })
  return ids
}

const trigger = (target: object) => service.api('POST', '/v1/check-sessions/trigger', { target })
const sessionsOf = async (target: object) => {
  const answer = await trigger(target)
  expect(answer.statusCode, answer.body.slice(0, 300)).toBe(201)
  return answer.json<{ sessions: { checkId: string }[] }>().sessions.map(({ checkId }) => checkId)
}

test('a target means each check once, however many there are', async () => {
  const ids = await haveChecks(1000)
  const all = await sessionsOf({})
  expect(all).toHaveLength(1000)
  expect(new Set(all)).toEqual(new Set(ids))
  expect(await sessionsOf({ matchTags: [['all']] })).toEqual(all)
  const named = ids.slice(300, 700)
  expect(await sessionsOf({ checkId: named })).toEqual(all.filter((id) => named.includes(id)))
})

test('a target that means more checks than may run at once says so', async () => {
  await haveChecks(1001)
  const answer = await trigger({})
  expect([answer.statusCode, answer.json().message]).toEqual([
    400,
    '"target" means more than 1000 checks, and no more run at once: name fewer',
  ])
})

test('others are served while a thousand checks are started', async () => {
  await haveChecks(1000)
  let over = false
  let turns = 0
  const turn = () => {
    turns += 1
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  await sessionsOf({})
  over = true
  expect(turns).toBeGreaterThan(20)
})
