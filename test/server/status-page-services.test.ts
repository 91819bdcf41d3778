import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import {
  addService,
  cardOf,
  conforming,
  faultyFields,
  incidentBody,
  incidentsUrl,
  noId,
  otherApi,
  pageBody,
  pagesUrl,
  servicesUrl,
  successful,
} from '../support/status-pages.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let api: TestService['api']
beforeEach(async () => {
  service = await startTestService()
  api = service.api
})
afterEach(() => service.close())

const one = `${servicesUrl}/{serviceId}`
const list = async (query = '') => successful(await api('GET', `${servicesUrl}${query}`), 200)

describe('a service of status pages', () => {
  test('comes back as it was sent, from each operation', async () => {
    const body = { name: ' Shöp ', id: '', accountId: 'x', x: 1 }
    const created = conforming(servicesUrl, await api('POST', servicesUrl, body), 201, 200)
    expect(created).toEqual({
      name: ' Shöp ',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accountId: service.accountId,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    })
    const url = `${servicesUrl}/${created.id}`
    expect(conforming(one, await api('GET', url), 200)).toEqual(created)
    service.clock.advance(1000)
    const changed = { ...created, name: 'Mail', updated_at: '2026-03-01T12:00:01.000Z' }
    expect(conforming(one, await api('PUT', url, { ...created, name: 'Mail' }), 200)).toEqual(changed)
    const listed = conforming(servicesUrl, await api('GET', servicesUrl), 200)
    expect(listed).toEqual({ length: 1, entries: [changed], nextId: null })
    successful(await api('DELETE', url), 204)
    expect((await api('GET', url)).statusCode).toBe(404)
    expect((await api('DELETE', url)).statusCode).toBe(404)
  })

  test.each([{}, { name: null }, { name: '' }, { name: 7 }, { name: 'x'.repeat(256) }, { name: '\u0000' }])(
    'cannot be %j',
    async (body) => {
      const { id } = await addService(api)
      expect(faultyFields(await api('POST', servicesUrl, body))).toEqual(['name'])
      expect(faultyFields(await api('PUT', `${servicesUrl}/${id}`, body))).toEqual(['name'])
    },
  )

  test('is out of reach of another account', async () => {
    const { id } = await addService(api)
    const theirs = await otherApi(service)
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      conforming(one, await theirs(method, `${servicesUrl}/${id}`, body), 404)
    }
    expect((await theirs('GET', servicesUrl)).json().length).toBe(0)
    expect((await list()).length).toBe(1)
  })

  test('has its name of now wherever it is shown', async () => {
    const shop = await addService(api)
    const page = (await api('POST', pagesUrl, pageBody({ cards: [cardOf('a', shop)] }))).json()
    const incident = (await api('POST', incidentsUrl, incidentBody([shop]))).json()
    const renamed = (await api('PUT', `${servicesUrl}/${shop.id}`, { name: 'Mail' })).json()
    expect((await api('GET', `${pagesUrl}/${page.id}`)).json().cards[0].services).toEqual([renamed])
    expect((await api('GET', `${incidentsUrl}/${incident.id}`)).json().services).toEqual([renamed])
  })
})

describe('deleting a service', () => {
  const remove = ({ id }: { id: string }) => api('DELETE', `${servicesUrl}/${id}`)

  test('is refused with the names of the pages and incidents that name it, until they do not', async () => {
    const [shop, mail] = [await addService(api), await addService(api)]
    const page = (
      await api('POST', pagesUrl, pageBody({ name: 'P', cards: [cardOf('a', mail, shop, shop)] }))
    ).json()
    const incident = (await api('POST', incidentsUrl, incidentBody([shop], { name: 'I' }))).json()
    const refused = await remove(shop)
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      'The service is named by the status pages "P" and the incidents "I": remove it there first',
    ])
    await api('PUT', `${pagesUrl}/${page.id}`, { ...page, cards: [cardOf('a', mail)] })
    expect((await remove(shop)).json().message).toBe(
      'The service is named by the incidents "I": remove it there first',
    )
    await api('DELETE', `${incidentsUrl}/${incident.id}`)
    expect((await remove(shop)).statusCode).toBe(204)
    expect((await remove(mail)).statusCode).toBe(409)
    await api('DELETE', `${pagesUrl}/${page.id}`)
    expect((await remove(mail)).statusCode).toBe(204)
  })

  test('names five of many', async () => {
    const shop = await addService(api)
    for (let n = 0; n < 7; n += 1) await api('POST', incidentsUrl, incidentBody([shop], { name: 'I' }))
    expect((await remove(shop)).json().message).toContain('"I", "I", "I", "I", "I", …:')
  })

  test('and showing it at the same moment never leaves a card without it', async () => {
    const services = await Promise.all(Array.from({ length: 8 }, () => addService(api)))
    const answers = await Promise.all(
      services.flatMap((shop) => [
        api('POST', pagesUrl, pageBody({ cards: [cardOf('a', shop)] })),
        remove(shop),
      ]),
    )
    expect(new Set(answers.map(({ statusCode }) => statusCode)).size).toBeGreaterThan(1)
    for (const page of (await api('GET', `${pagesUrl}?limit=100`)).json().entries) {
      expect(page.cards[0].services).toHaveLength(1)
    }
  })
})

describe('the list of services', () => {
  test('has parts of 20, or all of them when it is not to be paginated', async () => {
    const all = []
    for (let n = 0; n < 25; n += 1) {
      all.unshift(await addService(api, `s${n}`))
      service.clock.advance(1)
    }
    const first = await list()
    const rest = await list(`?nextId=${first.nextId}`)
    expect([first.length, rest.length, rest.nextId]).toEqual([20, 5, null])
    expect([...first.entries, ...rest.entries]).toEqual(all)
    expect(await list('?paginated=false&limit=3')).toEqual({ length: 25, entries: all, nextId: null })
    expect((await list('?paginated=true&limit=3')).length).toBe(3)
    expect(faultyFields(await api('GET', `${servicesUrl}?paginated=perhaps`))).toEqual(['paginated'])
  })
})

test('an account has at most 1,000 services: the next one answers 409', async () => {
  const { database, accountId } = service
  const rows = Array.from({ length: 1000 }, (_, n) => ({
    kind: 'status-page-service' as const,
    id: `${n}`,
    accountId,
    parentId: null,
    definition: '{"name":"n"}',
    createdAt: 1,
    updatedAt: null,
  }))
  await database.kysely.insertInto('documents').values(rows).execute()
  const answer = await api('POST', servicesUrl, { name: 'x' })
  expect([answer.statusCode, answer.json().message]).toEqual([
    409,
    'There are at most 1000 of this kind (service of status pages): delete one first',
  ])
})

describe('the service of a check’s incidents', () => {
  const checkWith = (serviceId: string) =>
    apiCheckBody({ triggerIncident: { serviceId, severity: 'MAJOR', name: 'n', description: 'd' } })

  test('is one of the account, or none', async () => {
    const ours = await addService(api)
    const theirs = await addService(await otherApi(service))
    expect((await api('POST', '/v1/checks/api', checkWith(ours.id))).statusCode).toBe(201)
    expect((await api('POST', '/v1/checks/api', checkWith(''))).statusCode).toBe(201)
    for (const id of [theirs.id, noId, 'x']) {
      const refused = await api('POST', '/v1/checks/api', checkWith(id))
      expect(faultyFields(refused)).toEqual(['triggerIncident.serviceId'])
    }
  })

  test('may be deleted: sending the check back changes nothing', async () => {
    const { id: serviceId } = await addService(api)
    const created = (await api('POST', '/v1/checks/api', checkWith(serviceId))).json()
    await api('DELETE', `${servicesUrl}/${serviceId}`)
    const again = await api('PUT', `/v1/checks/api/${created.id}`, created)
    expect([again.statusCode, again.json().triggerIncident]).toEqual([200, created.triggerIncident])
  })
})
