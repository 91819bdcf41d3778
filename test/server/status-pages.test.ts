import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/lib/ids.ts'
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

const one = `${pagesUrl}/{statusPageId}`
const create = (changes: object = {}) => api('POST', pagesUrl, pageBody(changes))
const created = async (changes: object = {}) => successful(await create(changes), 201)
const read = async (id: string) => successful(await api('GET', `${pagesUrl}/${id}`), 200)
const replace = (id: string, body: object) => api('PUT', `${pagesUrl}/${id}`, body)
const colors = (color: string) =>
  Object.fromEntries(
    [
      'bodyBackgroundColor',
      'headerBackgroundColor',
      'headerFontColor',
      'titleFontColor',
      'bodyFontColor',
      'bodyFontColorMuted',
      'navigationFontColor',
      'linkFontColor',
      'cardBackgroundColor',
      'borderColor',
      'primaryButtonBackgroundColor',
      'primaryButtonFontColor',
    ].map((name) => [name, color]),
  )

const full = {
  name: ' Ours ',
  url: 'Our-Page',
  description: 'Höchst verfügbar',
  customDomain: 'Status.Example.org',
  themeColors: { light: colors('#FFF'), dark: colors('#12ABEF') },
  logo: 'https://example.org/logo.png',
  redirectTo: 'http://example.org/?a=b#c',
  favicon: '',
  defaultTheme: 'DARK',
  isPrivate: false,
}
const defaults = {
  description: null,
  customDomain: null,
  themeColors: null,
  logo: null,
  redirectTo: null,
  favicon: null,
  defaultTheme: 'AUTO',
  isPrivate: false,
  whiteLabel: true,
  keys: [],
}

describe('a status page', () => {
  test('comes back as it was sent, with the services of its cards in full and in order', async () => {
    const [shop, mail] = [await addService(api, 'Shop'), await addService(api, 'Mail')]
    const cards = [cardOf('b', mail, shop, mail), cardOf('a')]
    const page = conforming(pagesUrl, await create({ ...full, cards }), 201)
    expect(page).toMatchObject(full)
    expect(page.cards.map(({ name }: { name: string }) => name)).toEqual(['b', 'a'])
    expect(page.cards[0].services).toEqual([mail, shop, mail])
    expect(page.cards[1].services).toEqual([])
    expect(conforming(one, await api('GET', `${pagesUrl}/${page.id}`), 200)).toEqual(page)
  })

  test('has the defaults of the specification, and takes them again when an update leaves a field out', async () => {
    const page = conforming(pagesUrl, await create({ name: 'Ours', url: 'ours' }), 201)
    expect(page).toMatchObject({ name: 'Ours', url: 'ours', cards: [], ...defaults })
    successful(await replace(page.id, { ...full, cards: [] }), 200)
    conforming(one, await replace(page.id, { name: 'Ours', url: 'ours', cards: [] }), 200)
    const { updated_at: _updatedAt, ...before } = page
    expect(await read(page.id)).toMatchObject(before)
  })

  test('is the same after what was read is sent back', async () => {
    const shop = await addService(api)
    const page = await created({ ...full, isPrivate: true, cards: [cardOf('a', shop), cardOf('a', shop)] })
    service.clock.advance(60_000)
    const before = await read(page.id)
    const after = conforming(one, await replace(page.id, before), 200)
    expect(after).toEqual({ ...before, updated_at: '2026-03-01T12:01:00.000Z' })
  })

  test.each([
    [{ themeColors: full.themeColors }, { themeColors: full.themeColors }],
    [
      { themeColors: { light: colors('#fff'), dark: colors('#12abEF') } },
      { themeColors: { light: colors('#fff') } },
    ],
    [{ themeColors: {} }, { themeColors: null }],
    [{ themeColors: { light: null, dark: null } }, { themeColors: null }],
    [{ id: '', cards: [{ id: '', statusPageId: '', name: 'a', services: null }], x: 1 }, {}],
    [{ cards: null }, { cards: [] }],
    [{ defaultTheme: null, isPrivate: null, description: null, keys: null }, { ...defaults }],
  ])('takes %j', async (changes, expected) => {
    expect(await created(changes)).toMatchObject(expected)
  })

  test.each([
    [{ name: undefined }, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ url: undefined }, ['url']],
    [{ url: '' }, ['url']],
    [{ url: '\u0000' }, ['url']],
    [{ url: 'x'.repeat(256) }, ['url']],
    [{ cards: undefined }, ['cards']],
    [{ cards: Array.from({ length: 51 }, () => cardOf('a')) }, ['cards']],
    [{ cards: [{ services: [] }] }, ['cards[0].name']],
    [{ cards: [cardOf('a', ...Array.from({ length: 51 }, () => ({ id: noId })))] }, ['cards[0].services']],
    [{ cards: [cardOf('a'), { name: 'b', services: [{}] }] }, ['cards[1].services[0].id']],
    [{ description: 'x'.repeat(501) }, ['description']],
    [{ customDomain: 'x'.repeat(256) }, ['customDomain']],
    [{ defaultTheme: 'dark' }, ['defaultTheme']],
    [{ isPrivate: 'yes' }, ['isPrivate']],
    [{ themeColors: { light: colors('#FFF') } }, ['themeColors.dark']],
    [{ themeColors: { dark: colors('#FFF') } }, ['themeColors.light']],
    [
      { themeColors: { light: { ...colors('#FFF'), borderColor: 'red;}' }, dark: colors('#FFF') } },
      ['themeColors.light.borderColor'],
    ],
    [{ logo: 'data:image/svg+xml,x' }, ['logo']],
    [{ redirectTo: ' java\nscript:alert(1)', favicon: 'ftp://a/' }, ['redirectTo', 'favicon']],
    [{ redirectTo: `https://a/${'x'.repeat(2048)}` }, ['redirectTo']],
  ])('cannot be %j', async (changes, fields) => {
    expect(faultyFields(await create(changes))).toEqual(fields)
    const page = await created()
    expect(faultyFields(await replace(page.id, pageBody(changes)))).toEqual(fields)
    expect(await read(page.id)).toEqual(page)
  })

  test('names each place where it shows no service of the account', async () => {
    const foreign = await addService(await otherApi(service))
    const shop = await addService(api)
    const answer = await create({ cards: [cardOf('a', shop, { id: 'no' }), cardOf('b', foreign)] })
    expect(faultyFields(answer)).toEqual(['cards[0].services[1].id', 'cards[1].services[0].id'])
    expect(answer.json().message).toContain('must be the id of a service of the account, was "no"')
    expect((await api('GET', pagesUrl)).json().length).toBe(0)
  })

  test('is gone once deleted, and its url is free again', async () => {
    const { id } = await created({ url: 'ours' })
    successful(await api('DELETE', `${pagesUrl}/${id}`), 204)
    expect((await api('GET', `${pagesUrl}/${id}`)).statusCode).toBe(404)
    expect((await api('DELETE', `${pagesUrl}/${id}`)).statusCode).toBe(404)
    expect((await replace(id, pageBody())).statusCode).toBe(404)
    await created({ url: 'ours' })
  })

  test('is out of reach of another account', async () => {
    const { id } = await created()
    const theirs = await otherApi(service)
    for (const [method, body] of [['GET'], ['PUT', pageBody()], ['DELETE']] as const) {
      const answer = await theirs(method, `${pagesUrl}/${id}`, body)
      expect([answer.statusCode, answer.json().message]).toEqual([404, 'There is no such status page'])
    }
    expect((await theirs('GET', pagesUrl)).json()).toEqual({ length: 0, entries: [], nextId: null })
    expect((await read(id)).id).toBe(id)
  })

  test('of which an account has at most 100: the next one answers 409 and says what to do', async () => {
    const { database, accountId } = service
    const rows = Array.from({ length: 99 }, (_, n) => ({
      kind: 'status-page' as const,
      id: `${n}`,
      accountId,
      parentId: null,
      definition: '{}',
      createdAt: 1,
      updatedAt: null,
    }))
    await database.kysely.insertInto('documents').values(rows).execute()
    await created()
    const answer = await create()
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'There are at most 100 of this kind (status page): delete one first',
    ])
  })
})

describe('the address of a page', () => {
  test.each(['url', 'customDomain'])('%s is unique over all accounts, in any case', async (field) => {
    const page = await created({ [field]: 'Taken' })
    const theirs = await otherApi(service)
    const body = pageBody({ [field]: 'tAKEN' })
    const message = `The ${field} "tAKEN" is that of another status page: choose another one`
    const second = await theirs('POST', pagesUrl, body)
    expect([second.statusCode, second.json().message]).toEqual([409, message])
    const own = (await theirs('POST', pagesUrl, pageBody())).json()
    const moved = await theirs('PUT', `${pagesUrl}/${own.id}`, body)
    expect([moved.statusCode, moved.json().message]).toEqual([409, message])
    expect((await theirs('GET', `${pagesUrl}/${own.id}`)).json()).toEqual(own)
    expect((await replace(page.id, { ...page, name: 'new' })).statusCode).toBe(200)
  })

  test.each([null, ''])('may lack a domain (%j), and so may others', async (customDomain) => {
    expect(await created({ customDomain })).toMatchObject({ customDomain })
    expect(await created({ customDomain })).toMatchObject({ customDomain })
  })
})

describe('a card', () => {
  const cards = async (id: string) => (await read(id)).cards

  test('keeps its id and its age when it is sent back, wherever it stands; any other is a new one', async () => {
    const shop = await addService(api)
    const page = await created({ cards: [cardOf('a'), cardOf('b'), cardOf('c')] })
    const [a, b, c] = page.cards
    service.clock.advance(1000)
    const next = {
      ...page,
      cards: [cardOf('n'), c, { ...cardOf('A', shop), id: a.id }, { ...b, id: 'other' }],
    }
    conforming(one, await replace(page.id, next), 200)
    const [n, ...rest] = await cards(page.id)
    const later = '2026-03-01T12:00:01.000Z'
    expect(n).toMatchObject({ name: 'n', created_at: later, updated_at: null })
    expect(rest.slice(0, 2)).toEqual([c, { ...a, name: 'A', services: [shop], updated_at: later }])
    expect(rest[2]).toMatchObject({ name: 'b', created_at: later })
    expect([a.id, b.id, c.id, 'other']).not.toContain(n.id)
    expect([a.id, b.id, c.id, 'other']).not.toContain(rest[2].id)
  })

  test('has an id that no other has, also when it is sent twice', async () => {
    const page = await created({ cards: [cardOf('a')] })
    const [a] = page.cards
    await replace(page.id, { ...page, cards: [a, a] })
    const after = await cards(page.id)
    expect(after[0]).toEqual(a)
    expect(after[1].id).not.toBe(a.id)
    const { id } = await created({ cards: [a] })
    expect((await cards(id))[0].id).not.toBe(a.id)
  })
})

describe('a private page', () => {
  test('gives its key away once, in the answer that makes it, and keeps only a hash', async () => {
    const page = await created({ isPrivate: true })
    const [{ rawKey, ...key }] = page.keys
    expect(rawKey).toMatch(/^sp_.{32}$/)
    expect(key).toMatchObject({ maskedKey: `****${rawKey.slice(-4)}`, updated_at: null })
    const answers = [
      await api('GET', `${pagesUrl}/${page.id}`),
      await api('GET', pagesUrl),
      await replace(page.id, pageBody({ isPrivate: true })),
    ]
    for (const { body } of answers) expect(body).not.toContain('rawKey')
    expect((await read(page.id)).keys).toEqual([key])
    const [row] = await service.database.kysely.selectFrom('documents').select('definition').execute()
    expect(row?.definition).not.toContain(rawKey)
    expect(row?.definition).toContain(hashKey(rawKey))
  })

  test('gets a key when it becomes private, and loses it when it no longer is', async () => {
    const page = await created()
    const [first] = (await replace(page.id, { ...page, isPrivate: true })).json().keys
    expect((await replace(page.id, { ...page, isPrivate: false })).json().keys).toEqual([])
    const [second] = (await replace(page.id, { ...page, isPrivate: true })).json().keys
    expect(second.rawKey).not.toBe(first.rawKey)
    expect(second.id).not.toBe(first.id)
  })

  test('gets a fresh key in the place of those that an update does not name', async () => {
    const page = await created({ isPrivate: true })
    const [{ rawKey: _rawKey, ...key }] = page.keys
    expect((await replace(page.id, { ...page, keys: [{ id: key.id }] })).json().keys).toEqual([key])
    const [fresh] = (await replace(page.id, { ...page, keys: [] })).json().keys
    expect(fresh.rawKey).toMatch(/^sp_/)
    expect((await read(page.id)).keys).toEqual([{ ...fresh, rawKey: undefined }])
  })
})

describe('the list of pages', () => {
  const list = async (query = '') => successful(await api('GET', `${pagesUrl}${query}`), 200)

  test('walks all of them once, the newest first', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      ids.unshift((await created()).id)
      if (n % 2 === 0) service.clock.advance(1000)
    }
    const seen: string[] = []
    let nextId: string | null = ''
    while (nextId !== null) {
      const part: { length: number; entries: { id: string }[]; nextId: string | null } = await list(
        `?limit=2&nextId=${nextId}`,
      )
      expect(part.length).toBe(part.entries.length)
      seen.push(...part.entries.map(({ id }) => id))
      nextId = part.nextId
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect(seen.at(-1)).toBe(ids.at(-1))
  })

  test('has 20 entries unless another number up to 100 is asked for', async () => {
    for (let n = 0; n < 21; n += 1) await create()
    expect((await list()).length).toBe(20)
    expect(await list('?limit=100')).toMatchObject({ length: 21, nextId: null })
    for (const limit of [0, 101, 'x']) {
      expect(faultyFields(await api('GET', `${pagesUrl}?limit=${limit}`))).toEqual(['limit'])
    }
  })

  test.each(['x', 'MSAy', `${Buffer.from("1 ' or 1=1").toString('base64url')}`, 'x'.repeat(201)])(
    'refuses the cursor %s',
    async (nextId) => {
      const answer = await api('GET', `${pagesUrl}?nextId=${nextId}`)
      // `MSAy` is `1 2`: a cursor that stands behind everything.
      if (nextId === 'MSAy') expect(answer.json()).toEqual({ length: 0, entries: [], nextId: null })
      else expect(faultyFields(answer)).toEqual(['nextId'])
    },
  )

  test('says of each page what happened to its services, with the newest update of each incident', async () => {
    const [shop, mail, other] = [await addService(api), await addService(api), await addService(api)]
    const { id } = await created({ cards: [cardOf('a', shop), cardOf('b', mail)] })
    await created({ cards: [cardOf('a', other)] })
    const bodies = [incidentBody([shop, mail]), incidentBody([mail, other]), incidentBody([other])]
    const incidents = []
    for (const body of bodies) {
      service.clock.advance(1000)
      incidents.push((await api('POST', incidentsUrl, body)).json())
    }
    const [both, half] = incidents
    service.clock.advance(1000)
    const update = (
      await api('POST', `${incidentsUrl}/${both.id}/incident-updates`, {
        description: 'Found',
        status: 'IDENTIFIED',
      })
    ).json()
    const { entries } = conforming(pagesUrl, await api('GET', pagesUrl), 200)
    const page = entries.find((entry: { id: string }) => entry.id === id)
    const updated = { incidentUpdates: [update], lastUpdateStatus: 'IDENTIFIED' }
    expect(page.incidents).toEqual([half, { ...both, ...updated, updated_at: '2026-03-01T12:00:04.000Z' }])
  })

  test('shows at most the 20 newest incidents of a page', async () => {
    const shop = await addService(api)
    await created({ cards: [cardOf('a', shop)] })
    for (let n = 0; n < 21; n += 1) {
      await api('POST', incidentsUrl, incidentBody([shop], { name: `n${n}` }))
      service.clock.advance(1000)
    }
    const { incidents } = (await list()).entries[0]
    expect(incidents.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 20 }, (_, n) => `n${20 - n}`),
    )
  })
})

test('services, incidents and pages have ids of their own: none is found as another', async () => {
  const shop = await addService(api)
  const page = await created()
  for (const url of [`${pagesUrl}/${shop.id}`, `${servicesUrl}/${page.id}`, `${incidentsUrl}/${page.id}`]) {
    expect((await api('GET', url)).statusCode).toBe(404)
  }
})
