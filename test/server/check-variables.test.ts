import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Variable } from '../../src/contract/variable.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const entry = (key: string, value: string, secret = false): Variable => ({
  key,
  value,
  locked: false,
  secret,
})
const secret = (key: string, value: string) => entry(key, value, true)

const body = (environmentVariables: unknown) => apiCheckBody({ environmentVariables })
const create = (environmentVariables: unknown) =>
  service.api('POST', '/v1/checks/api', body(environmentVariables))
const update = (id: string, environmentVariables: unknown) =>
  service.api('PUT', `/v1/checks/api/${id}`, body(environmentVariables))

/** What an agent that runs the check is given. */
async function given(checkId: string): Promise<Variable[]> {
  const answer = await service.agent('definitions', { checkIds: [checkId] })
  return answer.json().definitions[0].variables
}

describe('the variables of a check', () => {
  test.each([[[entry('B', '2'), { ...entry('A', ''), locked: true }]], [[]], [null], [undefined]])(
    'come back as they were sent: %j',
    async (variables) => {
      const check = (await create(variables)).json()
      expect(check.environmentVariables).toEqual(variables)
      expect((await service.api('GET', `/v1/checks/${check.id}`)).json()).toEqual(check)
      expect(await given(check.id)).toEqual(variables ?? [])
    },
  )

  test('that are secret come back without their values, and whoever runs the check has them', async () => {
    const sent = [entry('USER', 'ada'), secret('TOKEN', 'hunter2-taint'), secret('NONE', '')]
    const created = await create(sent)
    const { id, environmentVariables } = created.json()
    expect(environmentVariables).toEqual([entry('USER', 'ada'), secret('TOKEN', ''), secret('NONE', '')])
    const answers = [
      created,
      await service.api('GET', `/v1/checks/${id}`),
      await service.api('GET', '/v1/checks'),
    ]
    for (const answer of answers) expect(answer.body).not.toContain('taint')
    expect(await given(id)).toEqual(sent)
  })

  test('stay what they are when what was read is sent back', async () => {
    const sent = [secret('TOKEN', 'hunter2'), entry('USER', 'ada')]
    const check = (await create(sent)).json()
    const answer = await service.api('PUT', `/v1/checks/api/${check.id}`, check)
    expect(answer.json()).toEqual({ ...check, updated_at: answer.json().updated_at })
    expect(await given(check.id)).toEqual(sent)
  })

  test('are replaced by an update, all but secrets without a value', async () => {
    const { id } = (
      await create([secret('KEPT', 'k'), secret('NEW', 'old'), secret('GONE', 'g'), entry('A', '1')])
    ).json()
    await update(id, [entry('A', ''), secret('NEW', 'new'), secret('KEPT', '')])
    expect(await given(id)).toEqual([entry('A', ''), secret('NEW', 'new'), secret('KEPT', 'k')])
    await update(id, [secret('GONE', '')])
    expect(await given(id)).toEqual([secret('GONE', '')])
    await update(id, undefined)
    expect(await given(id)).toEqual([])
  })

  test('do not tell a secret when it is declared none: it is empty then', async () => {
    const { id } = (await create([secret('TOKEN', 'hunter2')])).json()
    const answer = await update(id, [entry('TOKEN', '')])
    expect(answer.json().environmentVariables).toEqual([entry('TOKEN', '')])
    expect(await given(id)).toEqual([entry('TOKEN', '')])
  })

  test('do not take a value that was no secret for the value of a secret', async () => {
    const { id } = (await create([entry('TOKEN', 'in the open')])).json()
    await update(id, [secret('TOKEN', '')])
    expect(await given(id)).toEqual([secret('TOKEN', '')])
  })

  test.each(['POST', 'PUT'] as const)(
    'have each key once: %s names the one that is there twice',
    async (method) => {
      const { id } = (await create([])).json()
      const variables = [
        entry('A', '1'),
        secret('B', 'hunter2'),
        entry('a', '2'),
        entry('B', '3'),
        entry('B', '4'),
      ]
      const answer = await (method === 'POST' ? create(variables) : update(id, variables))
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({
        message: '"environmentVariables" has the key "B" twice: a key may be there once',
        validation: { source: 'payload', keys: ['environmentVariables[4].key'] },
      })
      expect(answer.body).not.toContain('hunter2')
    },
  )

  test.each([
    [Array.from({ length: 101 }, (_, n) => entry(`K${n}`, '')), 'environmentVariables'],
    [[{ value: 'v' }], 'environmentVariables[0].key'],
    [[{ key: '', value: 'v' }], 'environmentVariables[0].key'],
    ['x', 'environmentVariables'],
  ])(
    'are refused with 400 and the field when they are not what they must be %#',
    async (variables, field) => {
      const answer = await create(variables)
      expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, [field]])
    },
  )
})
