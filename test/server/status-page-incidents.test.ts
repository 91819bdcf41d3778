import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addService,
  conforming,
  faultyFields,
  incidentBody,
  incidentsUrl,
  noId,
  otherApi,
  successful,
} from '../support/status-pages.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let api: TestService['api']
let shop: { id: string }
beforeEach(async () => {
  service = await startTestService()
  api = service.api
  shop = await addService(api)
})
afterEach(() => service.close())

const one = `${incidentsUrl}/{incidentId}`
const start = '2026-03-01T12:00:00.000Z'
const urlOf = ({ id }: { id: string }) => `${incidentsUrl}/${id}`
const post = (changes: object = {}) => api('POST', incidentsUrl, incidentBody([shop], changes))
const opened = async (changes: object = {}) => successful(await post(changes), 201)
const read = async (incident: { id: string }) => successful(await api('GET', urlOf(incident)), 200)

describe('an incident of status pages', () => {
  test('comes back with its services in full and its first update, from each operation', async () => {
    const mail = await addService(api, 'Mail')
    const body = {
      ...incidentBody([mail, shop], { name: ' Störung ', severity: 'CRITICAL' }),
      id: '',
      created_at: '0001-01-01T00:00:00Z',
      lastUpdateStatus: 'RESOLVED',
      duration: 7,
    }
    const incident = conforming(incidentsUrl, await api('POST', incidentsUrl, body), 201)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    const update = {
      id,
      description: 'We look into it',
      status: 'INVESTIGATING',
      publicIncidentUpdateDate: start,
      notifySubscribers: false,
      created_at: '2026-03-01',
    }
    expect(incident).toEqual({
      id,
      name: ' Störung ',
      severity: 'CRITICAL',
      services: [mail, shop],
      incidentUpdates: [update],
      lastUpdateStatus: 'INVESTIGATING',
      duration: null,
      created_at: start,
      updated_at: start,
    })
    expect(conforming(one, await api('GET', urlOf(incident)), 200)).toEqual(incident)
    const list = conforming(incidentsUrl, await api('GET', incidentsUrl), 200)
    expect(list).toEqual({ length: 1, entries: [incident], nextId: null })
    successful(await api('DELETE', urlOf(incident)), 204)
    expect((await api('GET', urlOf(incident))).statusCode).toBe(404)
    expect((await api('DELETE', urlOf(incident))).statusCode).toBe(404)
  })

  test('keeps its updates when it is replaced, and is the same after what was read is sent back', async () => {
    const mail = await addService(api, 'Mail')
    const incident = await opened()
    service.clock.advance(1000)
    const updated_at = '2026-03-01T12:00:01.000Z'
    const same = conforming(one, await api('PUT', urlOf(incident), incident), 200)
    expect(same).toEqual({ ...incident, updated_at })
    const changed = { name: 'n', severity: 'MAJOR', services: [mail] }
    const replaced = successful(await api('PUT', urlOf(incident), { ...changed, incidentUpdates: [] }), 200)
    expect(replaced).toEqual({ ...incident, ...changed, updated_at })
    expect(await read(incident)).toEqual(replaced)
  })

  test('changes only in what a PATCH says, as command lines send it', async () => {
    const incident = await opened()
    const patched = successful(await api('PATCH', urlOf(incident), { severity: 'MAJOR' }), 200)
    expect(patched).toEqual({ ...incident, severity: 'MAJOR' })
    expect(faultyFields(await api('PATCH', urlOf(incident), { severity: 'HUGE' }))).toEqual(['severity'])
    expect(faultyFields(await api('PATCH', urlOf(incident), { services: [] }))).toEqual(['services'])
    expect((await api('PATCH', `${incidentsUrl}/${noId}`, {})).statusCode).toBe(404)
    expect(await read(incident)).toEqual(patched)
  })

  const body = () => incidentBody([shop])
  const update = { description: 'd' }
  test.each([
    [{ name: undefined }, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ severity: undefined }, ['severity']],
    [{ severity: 'minor' }, ['severity']],
    [{ services: undefined }, ['services']],
    [{ services: [] }, ['services']],
    [{ services: [{ name: 'Shop' }] }, ['services[0].id']],
    [{ services: Array.from({ length: 101 }, () => ({ id: noId })) }, ['services']],
    [{ services: [{ id: noId }, { id: 'x' }] }, ['services[0].id', 'services[1].id']],
  ])('cannot be %j', async (changes, fields) => {
    const incident = await opened()
    expect(faultyFields(await api('POST', incidentsUrl, { ...body(), ...changes }))).toEqual(fields)
    expect(faultyFields(await api('PUT', urlOf(incident), { ...body(), ...changes }))).toEqual(fields)
    expect(await read(incident)).toEqual(incident)
  })

  test.each([
    [undefined, 'incidentUpdates'],
    [[], 'incidentUpdates'],
    [[update, update], 'incidentUpdates'],
    [[{}], 'incidentUpdates[0].description'],
    [[{ ...update, description: '' }], 'incidentUpdates[0].description'],
    [[{ ...update, description: 'x'.repeat(5001) }], 'incidentUpdates[0].description'],
    [[{ ...update, status: 'OPEN' }], 'incidentUpdates[0].status'],
    [[{ ...update, publicIncidentUpdateDate: 'soon' }], 'incidentUpdates[0].publicIncidentUpdateDate'],
    [[{ ...update, notifySubscribers: 'yes' }], 'incidentUpdates[0].notifySubscribers'],
  ])('cannot begin with the updates %j', async (incidentUpdates, field) => {
    expect(faultyFields(await post({ incidentUpdates }))).toEqual([field])
  })

  test('never names a service of another account', async () => {
    const theirs = await otherApi(service)
    const foreign = await addService(theirs)
    expect(faultyFields(await api('POST', incidentsUrl, incidentBody([shop, foreign])))).toEqual([
      'services[1].id',
    ])
  })

  test('is out of reach of another account, with its updates', async () => {
    const incident = await opened()
    const [{ id }] = incident.incidentUpdates
    const theirs = await otherApi(service)
    const foreign = await addService(theirs)
    const updates = `${urlOf(incident)}/incident-updates`
    const operations = [
      ['GET', urlOf(incident)],
      ['PUT', urlOf(incident), incidentBody([foreign])],
      ['PATCH', urlOf(incident), {}],
      ['DELETE', urlOf(incident)],
      ['GET', updates],
      ['POST', updates, update],
      ['GET', `${updates}/${id}`],
      ['PUT', `${updates}/${id}`, update],
      ['DELETE', `${updates}/${id}`],
    ] as const
    for (const [method, url, payload] of operations) {
      const answer = await theirs(method, url, payload)
      expect([answer.statusCode, answer.json().message]).toEqual([
        404,
        'There is no such incident of status pages',
      ])
    }
    expect((await theirs('GET', incidentsUrl)).json().length).toBe(0)
    expect(await read(incident)).toEqual(incident)
  })

  test('is one of a list that is walked from cursor to cursor, the newest first', async () => {
    const names = []
    for (let n = 0; n < 3; n += 1) {
      names.unshift((await opened({ name: `n${n}` })).name)
      service.clock.advance(1)
    }
    const first = successful(await api('GET', `${incidentsUrl}?limit=2`), 200)
    const rest = successful(await api('GET', `${incidentsUrl}?limit=2&nextId=${first.nextId}`), 200)
    expect([first.length, rest.length, rest.nextId]).toEqual([2, 1, null])
    expect([...first.entries, ...rest.entries].map(({ name }) => name)).toEqual(names)
  })
})

describe('an update of an incident', () => {
  const route = `${one}/incident-updates`
  const updatesOf = (incident: { id: string }) => `${urlOf(incident)}/incident-updates`
  const say = async (incident: { id: string }, body: object) =>
    successful(await api('POST', updatesOf(incident), { description: 'd', ...body }), 200)

  test('comes back as it was sent, from each operation', async () => {
    const incident = await opened()
    const url = updatesOf(incident)
    const body = {
      id: '',
      description: ' Gefunden\n',
      status: 'IDENTIFIED',
      publicIncidentUpdateDate: '2026-03-01T14:00:00+01:00',
      notifySubscribers: true,
      created_at: '0001-01-01',
    }
    const update = conforming(route, await api('POST', url, body), 200)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(update).toEqual({ ...body, id, created_at: '2026-03-01' })
    const path = `${url}/${update.id}`
    expect(conforming(`${route}/{incidentUpdateId}`, await api('GET', path), 200)).toEqual(update)
    const [first] = incident.incidentUpdates
    expect(conforming(route, await api('GET', url), 200)).toEqual([update, first])
    expect(conforming(`${route}/{incidentUpdateId}`, await api('PUT', path, update), 200)).toEqual(update)
    expect((await read(incident)).incidentUpdates).toEqual([update, first])
    successful(await api('DELETE', path), 204)
    for (const [method, payload] of [['GET'], ['PUT', body], ['DELETE']] as const) {
      const answer = await api(method, path, payload)
      expect([answer.statusCode, answer.json().message]).toEqual([404, 'There is no such incident update'])
    }
  })

  test('says nothing of the status unless it names one, and is of the moment it comes', async () => {
    const incident = await opened({ incidentUpdates: [{ description: 'd' }] })
    expect(incident.incidentUpdates[0]).toMatchObject({ status: 'INVESTIGATING', notifySubscribers: false })
    service.clock.advance(1000)
    const found = await say(incident, { status: 'IDENTIFIED', publicIncidentUpdateDate: null })
    expect(found.publicIncidentUpdateDate).toBe('2026-03-01T12:00:01.000Z')
    service.clock.advance(1000)
    const still = await say(incident, { publicIncidentUpdateDate: '0001-01-01T00:00:00Z' })
    expect(still).toMatchObject({
      status: 'IDENTIFIED',
      publicIncidentUpdateDate: '2026-03-01T12:00:02.000Z',
      notifySubscribers: false,
    })
  })

  test('takes its defaults again when it is replaced: the status that the others leave, and now', async () => {
    const incident = await opened()
    const update = await say(incident, { status: 'RESOLVED', notifySubscribers: true })
    service.clock.advance(1000)
    const path = `${updatesOf(incident)}/${update.id}`
    expect(successful(await api('PUT', path, { description: 'new' }), 200)).toEqual({
      ...update,
      description: 'new',
      status: 'INVESTIGATING',
      publicIncidentUpdateDate: '2026-03-01T12:00:01.000Z',
      notifySubscribers: false,
    })
  })

  test('decides where the incident stands: how it is derived cannot be set', async () => {
    const incident = await opened()
    service.clock.advance(90_500)
    const resolved = await say(incident, { status: 'RESOLVED' })
    expect(await read(incident)).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 91 })
    service.clock.advance(60_000)
    await say(incident, { description: 'What it was' })
    expect(await read(incident)).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 91 })
    const again = await say(incident, { status: 'MONITORING' })
    expect(await read(incident)).toMatchObject({ lastUpdateStatus: 'MONITORING', duration: null })
    await api('PUT', urlOf(incident), { ...incident, lastUpdateStatus: 'RESOLVED', duration: 3 })
    expect(await read(incident)).toMatchObject({ lastUpdateStatus: 'MONITORING', duration: null })
    await api('DELETE', `${updatesOf(incident)}/${again.id}`)
    await api('DELETE', `${updatesOf(incident)}/${resolved.id}`)
    expect(await read(incident)).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 151 })
  })

  test('about the past goes to its place there and changes nothing now', async () => {
    const incident = await opened({
      incidentUpdates: [{ description: 'Begins', publicIncidentUpdateDate: '2026-03-01T09:00:00Z' }],
    })
    await say(incident, { status: 'RESOLVED', publicIncidentUpdateDate: '2026-03-01T10:00:00Z' })
    await say(incident, { status: 'IDENTIFIED', publicIncidentUpdateDate: '2026-03-01T09:30:00Z' })
    const after = await read(incident)
    expect(after).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 3600 })
    expect(after.incidentUpdates.map(({ status }: { status: string }) => status)).toEqual([
      'RESOLVED',
      'IDENTIFIED',
      'INVESTIGATING',
    ])
  })

  test('that resolves an incident as it opens leaves it with no duration but 0', async () => {
    const incidentUpdates = [{ description: 'd', status: 'RESOLVED' }]
    expect(await opened({ incidentUpdates })).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 0 })
  })

  test('is never the last to go: 409 says what to do instead', async () => {
    const incident = await opened()
    const answer = await api('DELETE', `${updatesOf(incident)}/${incident.incidentUpdates[0].id}`)
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'An incident has at least one update: delete the incident instead',
    ])
    expect(await read(incident)).toEqual(incident)
  })

  test('is one of at most 100: the next one answers 409', async () => {
    const incident = await opened()
    for (let n = 1; n < 100; n += 1) await say(incident, {})
    const answer = await api('POST', updatesOf(incident), { description: 'd' })
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'An incident has at most 100 updates: delete one first',
    ])
  })

  test.each([{}, { description: '' }, { description: 7 }, { description: '\u0000' }])(
    'cannot be %j',
    async (body) => {
      const incident = await opened()
      expect(faultyFields(await api('POST', updatesOf(incident), body))).toEqual(['description'])
      const path = `${updatesOf(incident)}/${incident.incidentUpdates[0].id}`
      expect(faultyFields(await api('PUT', path, body))).toEqual(['description'])
    },
  )

  test('is not lost when many come at once', async () => {
    const incident = await opened()
    await Promise.all(Array.from({ length: 10 }, (_, n) => say(incident, { description: `${n}` })))
    expect((await read(incident)).incidentUpdates).toHaveLength(11)
  })
})
