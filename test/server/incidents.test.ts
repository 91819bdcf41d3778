import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let dashboard: { id: number; dashboardId: string }
beforeEach(async () => {
  service = await startTestService()
  dashboard = (await service.api('POST', '/v1/dashboards', { header: 'Shop' })).json()
})
afterEach(() => service.close())

const url = '/v1/incidents'
const at = '2026-03-01T12:00:00.000Z'
const later = '2026-03-01T12:01:00.000Z'
const first = { status: 'INVESTIGATING', description: 'We look into it\n' }
const body = (over: object = {}) => ({
  name: 'Slow checkout',
  impact: 'MAJOR',
  startedAt: '2026-03-01T10:00:00+02:00',
  stoppedAt: null,
  dashboardId: dashboard.id,
  incidentUpdates: [first],
  ...over,
})
const created = async (over: object = {}) => {
  const answer = await service.api('POST', url, body(over))
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}
const read = (id: string, query = '') => service.api('GET', `${url}/${id}${query}`)
const descriptions = (updates: { description: string }[]) => updates.map(({ description }) => description)

describe('an incident', () => {
  test('comes back as it was sent, with its ids and times', async () => {
    const incident = await created()
    const { id, incidentUpdates } = incident
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(incident).toEqual({
      ...body(),
      id,
      created_at: at,
      updated_at: null,
      incidentUpdates: [
        { ...first, id: incidentUpdates[0].id, incidentId: id, created_at: at, updated_at: null },
      ],
    })
    expect((await read(id)).json()).toEqual(incident)
    expect((await read(id, '?includeAllIncidentUpdates=true')).json()).toEqual(incident)
  })

  test('is replaced by an update, but for its dashboard and its updates; the answer has no updates', async () => {
    const { id } = await created()
    service.clock.advance(60_000)
    const answer = await service.api('PUT', `${url}/${id}`, { name: 'n', impact: 'MINOR', dashboardId: 99 })
    const changed = {
      name: 'n',
      impact: 'MINOR',
      startedAt: null,
      stoppedAt: null,
      dashboardId: dashboard.id,
    }
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ...changed, id, created_at: at, updated_at: later, incidentUpdates: null },
    ])
    expect((await read(id)).json()).toMatchObject({ ...changed, incidentUpdates: [first] })
  })

  test('has the impact MINOR and no times where they are left out or empty', async () => {
    const { impact, startedAt, stoppedAt } = await created({
      impact: null,
      startedAt: '',
      stoppedAt: undefined,
    })
    expect([impact, startedAt, stoppedAt]).toEqual(['MINOR', null, null])
  })

  test('is gone when it is deleted, and when its dashboard is', async () => {
    const [one, two] = [await created(), await created()]
    const deleted = await service.api('DELETE', `${url}/${one.id}`)
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await read(one.id)).statusCode).toBe(404)
    expect((await read(two.id)).statusCode).toBe(200)
    await service.api('DELETE', `/v1/dashboards/${dashboard.dashboardId}`)
    expect((await read(two.id)).statusCode).toBe(404)
  })

  test('needs a dashboard of the account', async () => {
    const answer = await service.api('POST', url, body({ dashboardId: 99 }))
    expect([answer.statusCode, answer.json().message]).toEqual([404, 'There is no such dashboard'])
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    const foreign = await service.app.inject({ method: 'POST', url, headers, payload: body() })
    expect([foreign.statusCode, foreign.json().message]).toEqual([404, 'There is no such dashboard'])
  })

  test.each([
    [{ name: undefined }, '"name" is required', 'name'],
    [{ name: '' }, '"name" must not be empty', 'name'],
    [{ impact: 'BAD' }, '"impact" must be one of ["MAINTENANCE", "MAJOR", "MINOR"], was "BAD"', 'impact'],
    [{ startedAt: 'soon' }, '"startedAt" must be a date-time of ISO 8601, was "soon"', 'startedAt'],
    [{ dashboardId: 'x' }, '"dashboardId" must be a whole number, was "x"', 'dashboardId'],
    [{ incidentUpdates: [] }, '"incidentUpdates" must not be empty', 'incidentUpdates'],
    [
      { incidentUpdates: [{ status: 'OPEN', description: 'd' }] },
      '"incidentUpdates[0].status" must be one of ["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED", "MAINTENANCE"], was "OPEN"',
      'incidentUpdates[0].status',
    ],
  ])('is refused with %j, in words that say what is allowed', async (over, message, key) => {
    const answer = await service.api('POST', url, body(over))
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { message, validation: { source: 'payload', keys: [key] } },
    ])
  })

  test('of another account is not there, in any operation', async () => {
    const { id, incidentUpdates } = await created()
    const update = `${url}/${id}/updates/${incidentUpdates[0].id}`
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const [method, path, payload] of [
      ['GET', `${url}/${id}`],
      ['PUT', `${url}/${id}`, { name: 'n', impact: 'MINOR' }],
      ['POST', `${url}/${id}/updates`, first],
      ['PUT', update, { description: 'd' }],
      ['DELETE', update],
      ['DELETE', `${url}/${id}`],
    ] as const) {
      const answer = await service.app.inject({ method, url: path, headers, ...(payload && { payload }) })
      expect([method, path, answer.statusCode]).toEqual([method, path, 404])
    }
    expect((await read(id)).json()).toMatchObject({ name: 'Slow checkout', incidentUpdates: [first] })
  })
})

describe('an update of an incident', () => {
  const post = (id: string, description: string, status = 'MONITORING') =>
    service.api('POST', `${url}/${id}/updates`, { status, description })

  test('is answered with all of them, newest first; the incident shows the newest, or all where asked', async () => {
    const { id } = await created()
    service.clock.advance(60_000)
    const answer = await post(id, 'second')
    expect(answer.statusCode).toBe(200)
    expect(descriptions(answer.json())).toEqual(['second', first.description])
    expect(answer.json()[0]).toMatchObject({
      status: 'MONITORING',
      incidentId: id,
      created_at: later,
      updated_at: null,
    })
    await post(id, 'third', 'RESOLVED')
    expect(descriptions((await read(id)).json().incidentUpdates)).toEqual(['third'])
    expect(descriptions((await read(id, '?includeAllIncidentUpdates=false')).json().incidentUpdates)).toEqual(
      ['third'],
    )
    const all = (await read(id, '?includeAllIncidentUpdates=true')).json().incidentUpdates
    expect(descriptions(all)).toEqual(['third', 'second', first.description])
  })

  test('can be reworded, but keeps its status', async () => {
    const { id } = await created()
    const [second] = (await post(id, 'second')).json()
    service.clock.advance(60_000)
    const path = `${url}/${id}/updates/${second.id}`
    const answer = await service.api('PUT', path, { description: 'reworded', status: 'RESOLVED' })
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ...second, description: 'reworded', updated_at: later },
    ])
    const all = (await read(id, '?includeAllIncidentUpdates=true')).json().incidentUpdates
    expect(descriptions(all)).toEqual(['reworded', first.description])
    expect((await service.api('PUT', path, {})).json().validation.keys).toEqual(['description'])
  })

  test('can be deleted, unless it is the last one', async () => {
    const { id } = await created()
    const [second, initial] = (await post(id, 'second')).json()
    const remove = (update: string) => service.api('DELETE', `${url}/${id}/updates/${update}`)
    expect((await remove(second.id)).statusCode).toBe(204)
    expect((await remove(second.id)).statusCode).toBe(404)
    const last = await remove(initial.id)
    expect([last.statusCode, last.json().message]).toEqual([
      409,
      'An incident has at least one update: delete the incident, or add an update first',
    ])
    expect(descriptions((await read(id)).json().incidentUpdates)).toEqual([first.description])
  })

  test('that is not there answers 404, and so does one of another incident', async () => {
    const [one, two] = [await created(), await created()]
    const foreign = `${url}/${one.id}/updates/${two.incidentUpdates[0].id}`
    expect((await service.api('PUT', foreign, { description: 'd' })).statusCode).toBe(404)
    expect((await service.api('DELETE', foreign)).statusCode).toBe(404)
    expect((await post('none', 'd')).statusCode).toBe(404)
  })

  test('is one of at most 200: the next one answers 409 and says what to do', async () => {
    const incidentUpdates = Array.from({ length: 100 }, (_, n) => ({ ...first, description: `${n}` }))
    const { id } = await created({ incidentUpdates })
    for (let n = 0; n < 100; n += 1) expect((await post(id, 'more')).statusCode).toBe(200)
    const answer = await post(id, 'too many')
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'An incident has at most 200 updates: delete one first, or create another incident',
    ])
  })

  test('is not lost when another one is written at the same time', async () => {
    const { id } = await created()
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => post(id, text)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const all = (await read(id, '?includeAllIncidentUpdates=true')).json().incidentUpdates
    expect(descriptions(all).toSorted()).toEqual([first.description, 'a', 'b', 'c', 'd'].toSorted())
  })
})

describe.skipIf(!contractIsHere)(`its answers are of the contract's shape${skippedWithoutContract}`, () => {
  const one = '/v1/incidents/{id}'
  const updates = '/v1/incidents/{incidentId}/updates'
  const update = `${updates}/{id}`
  const renamed = { name: 'n', impact: 'MINOR' }
  test.each([
    ['GET', one, `${url}/:id`, 200, undefined],
    ['GET', one, `${url}/:id?includeAllIncidentUpdates=true`, 200, undefined],
    ['GET', one, `${url}/none`, 404, undefined],
    ['PUT', one, `${url}/:id?probe=true`, 200, renamed],
    ['PUT', one, `${url}/none`, 404, renamed],
    ['DELETE', one, `${url}/:id`, 204, undefined],
    ['POST', updates, `${url}/:id/updates`, 200, first],
    ['POST', updates, `${url}/none/updates`, 404, first],
    ['PUT', update, `${url}/:id/updates/:update`, 200, { description: 'd' }],
    ['PUT', update, `${url}/:id/updates/none`, 404, { description: 'd' }],
    ['DELETE', update, `${url}/:id/updates/:update`, 204, undefined],
  ] as const)('%s %s (%s → %i)', async (method, route, path, status, payload) => {
    const incident = await created()
    expect(contractFaults('POST', url, 200, incident)).toEqual([])
    const [second] = (await service.api('POST', `${url}/${incident.id}/updates`, first)).json()
    const filled = path.replace(':id', incident.id).replace(':update', second.id)
    const answer = await service.api(method, filled, payload)
    expect(answer.statusCode, answer.body).toBe(status)
    const read: unknown = answer.body === '' ? undefined : answer.json()
    expect(contractFaults(method, route, status, read)).toEqual([])
  })

  test('POST /v1/incidents for a dashboard that is not there (404)', async () => {
    const answer = await service.api('POST', url, body({ dashboardId: 99 }))
    expect(contractFaults('POST', url, 404, answer.json())).toEqual([])
  })
})
