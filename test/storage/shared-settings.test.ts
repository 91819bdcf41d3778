import { expect, onTestFinished, test } from 'vitest'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { CheckDefinition, Run } from '../../src/contract/run.ts'
import type { Variable } from '../../src/contract/variable.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import type { Database } from '../../src/storage/database.ts'
import { agentCapabilities, agentId, otherAgentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { clientCertificateBody, encryptedKey, keyPair, passphrase } from '../support/key-pairs.ts'
import { variableRow } from '../support/storage-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const entry = (key: string, value: string, secret = false): Variable => ({
  key,
  value,
  locked: false,
  secret,
})

interface Bench extends TestService {
  plan(): Promise<unknown>
  claim(agent?: string): Promise<Run[]>
  define(...checkIds: string[]): Promise<CheckDefinition[]>
  createCheck(overrides?: Record<string, unknown>): Promise<string>
}

async function startBench(database: Database): Promise<Bench> {
  const service = await startTestService({ database })
  onTestFinished(() => service.app.close())
  const locations = new LocationWatch({ db: database.kysely, logger, startedAt: service.clock.now() })
  return {
    ...service,
    plan: () => schedulerTurn({ ...service, locations }),
    claim: async (agent = agentId) => {
      const message = { agentId: agent, capabilities: agentCapabilities, slots: 100, waitMs: 0 }
      return (await service.agent('claims', message)).json<ClaimResponse>().runs
    },
    define: async (...checkIds) =>
      (await service.agent('definitions', { checkIds })).json<{ definitions: CheckDefinition[] }>()
        .definitions,
    createCheck: async (overrides) =>
      (await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))).json().id,
  }
}

/** Each changes what all checks of the account share, once `TOKEN` and a certificate are there. */
const changes: Readonly<
  Record<string, (bench: Bench, certificateId: string) => Promise<{ statusCode: number }>>
> = {
  'a new variable': ({ api }) => api('POST', '/v1/variables', { key: 'NEW', value: 'n' }),
  'a changed variable': ({ api }) => api('PUT', '/v1/variables/TOKEN', { value: 'new', secret: true }),
  'a deleted variable': ({ api }) => api('DELETE', '/v1/variables/TOKEN'),
  'a new certificate': ({ api }) => api('POST', '/v1/client-certificates', clientCertificateBody()),
  'a deleted certificate': ({ api }, id) => api('DELETE', `/v1/client-certificates/${id}`),
}

forEachEngine((_engine, open) => {
  test('agents are given a check’s variables over the account’s, and its certificates, newest first, in clear', async () => {
    const bench = await startBench(await open())
    const { api } = bench
    for (const variable of [entry('A', 'of the account'), entry('B', 'hunter2', true), entry('C', 'c')])
      await api('POST', '/v1/variables', variable)
    const encrypted = { host: 'old.example', key: encryptedKey('pkcs8'), passphrase, ca: keyPair.ca }
    await api('POST', '/v1/client-certificates', clientCertificateBody(encrypted))
    bench.clock.advance(1000)
    await api('POST', '/v1/client-certificates', clientCertificateBody({ host: 'new.example', ca: '' }))
    const id = await bench.createCheck({
      environmentVariables: [entry('C', 'of the check', true), entry('A', 'of the check')],
    })
    const [definition] = await bench.define(id)
    expect(definition?.variables).toEqual([
      entry('C', 'of the check', true),
      entry('A', 'of the check'),
      entry('B', 'hunter2', true),
    ])
    expect(definition?.clientCertificates).toEqual([
      { host: 'new.example', certificate: keyPair.cert, key: keyPair.key, passphrase: null, ca: null },
      { host: 'old.example', certificate: keyPair.cert, key: encrypted.key, passphrase, ca: keyPair.ca },
    ])
  })

  test.each(Object.entries(changes))(
    '%s reaches agents that hold the check: each run after it names a newer version, which has it',
    async (_what, change) => {
      const bench = await startBench(await open())
      await bench.api('POST', '/v1/variables', entry('TOKEN', 'old', true))
      const certificate = (await bench.api('POST', '/v1/client-certificates', clientCertificateBody())).json()
      const id = await bench.createCheck()
      bench.clock.advance(10_000)
      await bench.plan()
      const [claimed] = await bench.claim()
      if (!claimed) throw new Error('nothing was planned')
      const [held] = await bench.define(id)
      expect(held?.version).toBe(claimed.version)
      // Planned before the change, claimed after it.
      bench.clock.advance(10_000)
      await bench.plan()
      expect((await change(bench, certificate.id)).statusCode).toBeLessThan(300)
      const waiting = await bench.claim()
      expect(waiting.length).toBeGreaterThanOrEqual(1)
      const [renewed] = await bench.define(id)
      expect(renewed?.version).toBeGreaterThan(held?.version ?? 0)
      expect(renewed).not.toEqual({ ...held, version: renewed?.version })
      for (const run of waiting) expect(run.version).toBe(renewed?.version)
      // Planned after it; and the run whose agent died, for whoever has it next.
      bench.clock.advance(60_001)
      await bench.plan()
      const later = await bench.claim(otherAgentId)
      expect(later.map((run) => run.id)).toContain(claimed.id)
      for (const run of later) expect(run.version).toBe(renewed?.version)
    },
  )

  test('a run never names a version whose definition lacks a change that was made before it was claimed', async () => {
    const bench = await startBench(await open())
    const ids = await Promise.all(Array.from({ length: 4 }, () => bench.createCheck()))
    await bench.api('POST', '/v1/variables', entry('COUNT', '0'))
    const held = new Map<string, CheckDefinition>()
    for (let count = 1; count <= 12; count += 1) {
      bench.clock.advance(5000)
      const [, , created] = await Promise.all([
        bench.api('PUT', '/v1/variables/COUNT', { value: String(count) }),
        bench.plan(),
        bench.createCheck({ name: `made at ${count}` }),
        bench.api('PUT', `/v1/checks/api/${ids[0]}`, apiCheckBody({ name: `changed at ${count}` })),
        bench.define(...ids).then((given) => {
          for (const definition of given) held.set(definition.checkId, definition)
        }),
      ])
      ids.push(created)
      const runs = await bench.claim()
      // As an agent does: what it holds in the version of the run, or in a later one, it does not ask for.
      const stale = runs.filter((run) => (held.get(run.checkId)?.version ?? 0) < run.version)
      for (const definition of await bench.define(...ids.slice(0, 1), ...stale.map((run) => run.checkId)))
        held.set(definition.checkId, definition)
      for (const { checkId } of runs)
        expect(held.get(checkId)?.variables).toEqual([entry('COUNT', String(count))])
    }
    expect(held.size).toBeGreaterThan(4)
  }, 20_000)

  test('of several who make a variable of one key at once, one does', async () => {
    const { api } = await startBench(await open())
    const create = (n: number) => api('POST', '/v1/variables', entry('A', String(n)))
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create(n)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array(7).fill(409)])
    const made = answers.find(({ statusCode }) => statusCode === 201)?.json()
    expect((await api('GET', '/v1/variables')).json()).toEqual([made])
  })

  test('of several who make the last variable that an account may have, one does', async () => {
    const { api, accountId, database } = await startBench(await open())
    const rows = Array.from({ length: 999 }, (_, n) => variableRow(accountId, `K${n}`))
    await database.kysely.insertInto('variables').values(rows).execute()
    const create = async (n: number) => (await api('POST', '/v1/variables', entry(`LAST${n}`, ''))).statusCode
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(create))
      expect(answers.toSorted()).toEqual([201, 409, 409, 409, 409, 409])
      await api('DELETE', `/v1/variables/LAST${answers.indexOf(201)}`)
    }
  }, 20_000)

  test('of several who make the last certificate that an account may have, one does', async () => {
    const { api } = await startBench(await open())
    const create = () => api('POST', '/v1/client-certificates', clientCertificateBody())
    for (let n = 0; n < 99; n += 1) await create()
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 5 }, create))
      expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409, 409, 409])
      const made = answers.find(({ statusCode }) => statusCode === 201)?.json()
      await api('DELETE', `/v1/client-certificates/${made.id}`)
    }
  }, 20_000)

  test('an update that keeps a secret and one that changes it at the same time end with the changed one', async () => {
    const { api, createCheck, define } = await startBench(await open())
    const id = await createCheck({ environmentVariables: [entry('TOKEN', 'old', true)] })
    const update = (value: string) =>
      api(
        'PUT',
        `/v1/checks/api/${id}`,
        apiCheckBody({ environmentVariables: [entry('TOKEN', value, true)] }),
      )
    for (let n = 0; n < 10; n += 1) {
      await Promise.all([update(''), update(`new ${n}`), update('')])
      expect((await define(id))[0]?.variables).toEqual([entry('TOKEN', `new ${n}`, true)])
    }
  })

  test('a variable of the account, and a proxy, that are kept and changed at the same time end changed', async () => {
    const { api } = await startBench(await open())
    const place = (
      await api('POST', '/v1/private-locations', { name: 'p', slugName: 'a', proxyUrl: 'http://u:p@a' })
    ).json()
    const url = `/v1/private-locations/${place.id}`
    for (let n = 0; n < 10; n += 1) {
      const answers = await Promise.all([
        api('PUT', url, { name: 'p', proxyUrl: (await api('GET', url)).json().proxyUrl }),
        api('PUT', url, { name: 'p', proxyUrl: `http://u:p@a${n}` }),
      ])
      expect(answers.map(({ statusCode }) => statusCode)[1]).toBe(200)
      expect((await api('GET', url)).json().proxyUrl).toBe(`http://u:***@a${n}`)
    }
  })
})
