import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ClaimResponse, claimAheadMs } from '../../src/contract/agent-protocol.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { hidePassword, proxyUrlFault } from '../../src/server/secrets/proxy-url.ts'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { logLevel, logLines } from '../support/log-lines.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let n = 0
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/private-locations'
const create = (proxyUrl: unknown) => {
  n += 1
  return service.api('POST', url, { name: 'p', slugName: `place-${n}`, proxyUrl })
}
const update = (id: string, proxyUrl: unknown) => service.api('PUT', `${url}/${id}`, { name: 'p', proxyUrl })
const shown = async (id: string) => (await service.api('GET', `${url}/${id}`)).json().proxyUrl

/** The proxy that the next claim tells an agent of the location. */
async function claimed(id: string): Promise<string | null> {
  const key = (await service.api('POST', `${url}/${id}/keys`)).json()
  const proxyUrl = await claimedWith(key.rawKey)
  await service.api('DELETE', `${url}/${id}/keys/${key.id}`)
  return proxyUrl
}

async function claimedWith(rawKey: string): Promise<string | null> {
  const message = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }
  return (await service.agent('claims', message, rawKey)).json<ClaimResponse>().proxyUrl
}

const withPassword = 'http://ada:hunter2@proxy.example:3128'
const hidden = 'http://ada:***@proxy.example:3128'

describe('the proxy of a private location', () => {
  test.each([
    'http://proxy:3128',
    'https://Proxy.example',
    'http://10.0.0.1:8080/',
    'http://[::1]:3128',
    'HTTP://proxy',
    'http://ada@proxy:3128',
    'http://ada:@proxy:3128',
  ])('comes back as it was sent where it has no password: %s', async (proxyUrl) => {
    const created = await create(proxyUrl)
    expect([created.statusCode, created.json().proxyUrl]).toEqual([201, proxyUrl])
    expect(await shown(created.json().id)).toBe(proxyUrl)
    expect(await claimed(created.json().id)).toBe(proxyUrl)
  })

  test('is shown without its password, by every operation, and agents have it whole', async () => {
    const { id } = (await create(withPassword)).json()
    const answers = [
      await create(withPassword),
      await service.api('GET', url),
      await service.api('GET', `${url}/${id}`),
      await update(id, withPassword),
    ]
    for (const { body } of answers) {
      expect(body).toContain(hidden)
      expect(body).not.toContain('hunter2')
    }
    expect(await claimed(id)).toBe(withPassword)
  })

  test('stays what it is when what was read is sent back', async () => {
    const { id } = (await create(withPassword)).json()
    const answer = await update(id, await shown(id))
    expect([answer.statusCode, answer.json().proxyUrl]).toEqual([200, hidden])
    expect(await claimed(id)).toBe(withPassword)
  })

  test.each([
    'http://ada:***@evil.example:3128',
    'http://ada:***@proxy.example:3129',
    'https://ada:***@proxy.example:3128',
    'http://eve:***@proxy.example:3128',
  ])('does not take its password along to another: %s is refused', async (changed) => {
    const { id } = (await create(withPassword)).json()
    const answer = await update(id, changed)
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['proxyUrl']])
    expect(answer.json().message).toContain('must have the password itself')
    expect(await claimed(id)).toBe(withPassword)
  })

  test('cannot be made with a hidden password, nor get one where it had none', async () => {
    expect((await create(hidden)).statusCode).toBe(400)
    const { id } = (await create('http://ada@proxy.example:3128')).json()
    expect((await update(id, hidden)).statusCode).toBe(400)
  })

  test.each([
    'socks://x',
    'proxy:3128',
    'http://',
    'http:ada:hunter2@proxy',
    'http:///ada:hunter2@proxy',
    'http://ada:hunter2\\@proxy',
    'http://ada:hun\tter2@proxy',
    ' http://proxy',
    'http://proxy/path',
    'http://proxy?x=1',
    'http://proxy#x',
    'http://proxy:99999',
  ])('cannot be %j', async (proxyUrl) => {
    const answer = await create(proxyUrl)
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['proxyUrl']])
    expect(answer.body).not.toContain('hunter2')
  })

  test('that changes is another from the next claim on; none and an empty one are none', async () => {
    const { id } = (await create(null)).json()
    const { rawKey } = (await service.api('POST', `${url}/${id}/keys`)).json()
    const seen = [await claimedWith(rawKey)]
    for (const proxyUrl of [withPassword, 'http://other:3128', '', undefined]) {
      expect((await update(id, proxyUrl)).statusCode).toBe(200)
      seen.push(await claimedWith(rawKey))
    }
    expect(seen).toEqual([null, withPassword, 'http://other:3128', null, null])
  })

  test('is for agents of its own account and location alone', async () => {
    await create(withPassword)
    const { id } = (await create(null)).json()
    expect(await claimed(id)).toBeNull()
    expect(await claimedWith(embeddedKey)).toBeNull()
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    const payload = { name: 'p', slugName: `place-${n - 1}` }
    const theirs = (await service.app.inject({ method: 'POST', url, headers, payload })).json()
    const key = (
      await service.app.inject({ method: 'POST', url: `${url}/${theirs.id}/keys`, headers })
    ).json()
    expect(await claimedWith(key.rawKey)).toBeNull()
  })

  test('that cannot be read leases no run to anybody, is logged, and a new one mends it', async () => {
    const { logger, lines } = logLines()
    const loud = await startTestService({ database: service.database, logger })
    const { id, slugName } = (await create(withPassword)).json()
    const { rawKey } = (await service.api('POST', `${url}/${id}/keys`)).json()
    await service.api('POST', '/v1/checks/api', apiCheckBody({ locations: [], privateLocations: [slugName] }))
    for (const { clock } of [service, loud]) clock.advance(10_000)
    const { kysely } = service.database
    const locations = new LocationWatch({ db: kysely, logger, startedAt: service.clock.now() })
    await schedulerTurn({ ...service, locations })
    await kysely.updateTable('privateLocations').set({ proxyUrl: 'v1:AAAA' }).where('id', '=', id).execute()
    const claimable = service.clock.now() + claimAheadMs
    const planned = await kysely
      .selectFrom('checkRuns')
      .select('id')
      .where('attemptAt', '<=', claimable)
      .execute()
    const claim = { agentId, capabilities: agentCapabilities, slots: 10, waitMs: 0 }
    expect((await loud.agent('claims', claim, rawKey)).statusCode).toBe(500)
    expect(lines).toMatchObject([{ level: logLevel.error, err: { code: 'SECRET_UNREADABLE' } }])
    expect((await update(id, withPassword)).statusCode).toBe(200)
    const { proxyUrl, runs } = (await service.agent('claims', claim, rawKey)).json<ClaimResponse>()
    expect(planned.length).toBeGreaterThanOrEqual(1)
    expect([proxyUrl, runs.length]).toEqual([withPassword, planned.length])
  })
})

test('whatever password the parser sees in a proxyUrl is hidden, and nothing else of it changes', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab:@%2[]$&`\'"!*.é'), maxLength: 8 })
  fc.assert(
    fc.property(part, part, fc.constantFrom('proxy', 'proxy:3128', '[::1]:80/'), (user, password, host) => {
      const text = `http://${user}:${password}@${host}`
      fc.pre(proxyUrlFault(text) === null)
      const before = new URL(text)
      const after = new URL(hidePassword(text))
      expect(after.password).toBe(before.password === '' ? '' : '***')
      before.password = after.password = ''
      expect(after.href).toBe(before.href)
    }),
    { numRuns: 2000 },
  )
})
