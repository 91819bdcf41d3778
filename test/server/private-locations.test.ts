import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const create = async (slugName = 'office') => {
  const answer = await service.api('POST', '/v1/private-locations', { name: 'The office', slugName })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}

test('is created, read, listed, changed and deleted', async () => {
  const place = await create()
  expect(place).toMatchObject({
    slugName: 'office',
    icon: 'location',
    keys: [],
    proxyUrl: null,
    updated_at: null,
  })
  const url = `/v1/private-locations/${place.id}`
  expect((await service.api('GET', url)).json()).toMatchObject({
    id: place.id,
    agentCount: 0,
    lastSeen: null,
  })
  expect((await service.api('GET', '/v1/private-locations')).json()).toHaveLength(1)
  const changed = await service.api('PUT', url, { name: 'New', proxyUrl: 'http://proxy:3128' })
  expect(changed.json()).toMatchObject({ name: 'New', slugName: 'office', proxyUrl: 'http://proxy:3128' })
  expect((await service.api('DELETE', url)).statusCode).toBe(204)
  expect((await service.api('GET', url)).statusCode).toBe(404)
})

test.each(['us-east-1', 'eu-central-1x', '', 'with space', 'x'.repeat(31)])(
  'the slug %j is refused',
  async (slugName) => {
    const answer = await service.api('POST', '/v1/private-locations', { name: 'n', slugName })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().validation.keys).toEqual(['slugName'])
  },
)

test('a slug is unique in its account: the second one answers 409 and says what to do', async () => {
  await create()
  const answer = await service.api('POST', '/v1/private-locations', { name: 'n', slugName: 'office' })
  expect(answer.statusCode).toBe(409)
  expect(answer.json()).toMatchObject({
    error: 'Conflict',
    message: expect.stringContaining('choose another'),
  })
})

test('a raw key is shown once, and a third key is refused', async () => {
  const place = await create()
  const url = `/v1/private-locations/${place.id}`
  const key = (await service.api('POST', `${url}/keys`)).json()
  expect(key.rawKey).toMatch(/^pl_/)
  expect((await service.api('POST', `${url}/keys`)).statusCode).toBe(201)
  expect((await service.api('POST', `${url}/keys`)).statusCode).toBe(409)
  const shown = JSON.stringify([
    (await service.api('GET', url)).json(),
    (await service.api('GET', '/v1/private-locations')).json(),
  ])
  expect(shown).toContain(key.maskedKey)
  expect(shown).not.toContain(key.rawKey)
  expect((await service.api('DELETE', `${url}/keys/${key.id}`)).statusCode).toBe(204)
  expect((await service.api('DELETE', `${url}/keys/${key.id}`)).statusCode).toBe(404)
  expect((await service.agent('leases', {}, key.rawKey)).statusCode).toBe(401)
})

test('one that a check uses is not deleted', async () => {
  const place = await create()
  const check = await service.api(
    'POST',
    '/v1/checks/api',
    apiCheckBody({ locations: [], privateLocations: ['office'] }),
  )
  const answer = await service.api('DELETE', `/v1/private-locations/${place.id}`)
  expect(answer.statusCode).toBe(409)
  expect(answer.json().message).toContain(check.json().id)
})

test('a proxyUrl of another kind is refused', async () => {
  const answer = await service.api('POST', '/v1/private-locations', {
    name: 'n',
    slugName: 's',
    proxyUrl: 'socks://x',
  })
  expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['proxyUrl']])
})

test('metrics are three lists of one length; a window that begins 15 days ago is refused', async () => {
  const place = await create()
  const url = `/v1/private-locations/${place.id}/metrics`
  const nowS = service.clock.now() / 1000
  expect((await service.api('GET', `${url}?from=${nowS - 60}&to=${nowS}`)).json()).toEqual({
    timestamps: [],
    queueSize: [],
    oldestScheduledCheckRun: [],
  })
  const old = await service.api('GET', `${url}?from=${nowS - 15 * 86_400}&to=${nowS}`)
  expect(old.json().message).toContain('"from" must be less than 15 days in the past')
  expect((await service.api('GET', `${url}?from=x&to=${nowS}`)).statusCode).toBe(400)
})

test('a key for a location that is deleted meanwhile is made, or the location is not there', async () => {
  const seen = new Set<number>()
  for (let n = 0; n < 20; n += 1) {
    const { id } = (
      await service.api('POST', '/v1/private-locations', { name: 'n', slugName: `n${n}` })
    ).json()
    const url = `/v1/private-locations/${id}`
    const [, key] = await Promise.all([service.api('DELETE', url), service.api('POST', `${url}/keys`)])
    seen.add(key.statusCode)
  }
  expect([...seen].filter((status) => status !== 201 && status !== 404)).toEqual([])
  expect(seen).toContain(404)
})
