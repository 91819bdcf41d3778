import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { LightMyRequestResponse as Response } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { type DescribedOperation, describedOperations } from '../support/described-operations.ts'
import { hostileValue, mangled, spoilt } from '../support/hostile-values.ts'
import { fillTemplate, namesInPath, urlTemplateOf, useOf } from '../support/ids-of-paths.ts'
import { type Ids, oneOfEverything } from '../support/one-of-everything.ts'
import { fitting } from '../support/schema-values.ts'
import { rowCounts } from '../support/table-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/**
 * Requests for each operation and each way to spoil one; PICKET_HOSTILE_RUNS asks for more. A failure tells its seed:
 * PICKET_HOSTILE_SEED=<seed> with `-t '<name of the test>'` makes the same requests again. PICKET_HOSTILE_DATABASE names an
 * empty PostgreSQL database to attack over instead of SQLite.
 */
const numRuns = Number(process.env['PICKET_HOSTILE_RUNS'] ?? 6)
const seed = process.env['PICKET_HOSTILE_SEED']
const databaseUrl = process.env['PICKET_HOSTILE_DATABASE']
const runs = { numRuns, endOnFailure: true, ...(seed !== undefined && { seed: Number(seed) }) }
/** Far more than any takes on a busy machine. */
const deadlineMs = 8000

let service: TestService
let ids: Ids

/** What waits for something that does not come is asked seldom, and to do so for the shortest time. */
const waits = 'maxWaitSeconds'
const runsOf = ({ path }: DescribedOperation) =>
  path.endsWith('/completion') ? { ...runs, numRuns: 2 } : runs

async function opened(url: string): Promise<Database> {
  const database = await openDatabase(url)
  await migrate(database)
  return database
}

beforeAll(async () => {
  const options = { publicOrigin: 'https://picket.example', rateLimitAMinute: 10_000_000 }
  service = await startTestService({
    ...options,
    ...(databaseUrl && { database: await opened(databaseUrl) }),
  })
  ids = await oneOfEverything(service)
}, 60_000)
afterAll(() => service.close())

const urlOf = (operation: DescribedOperation) =>
  fillTemplate(urlTemplateOf(operation) ?? operation.path, (name) => ids[name] ?? name)

interface Sent {
  readonly url: string
  readonly payload?: string | Buffer | object
  readonly headers?: Readonly<Record<string, string>>
}

async function send({ method }: DescribedOperation, { url, payload, headers = {} }: Sent): Promise<Response> {
  const request = service.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${service.apiKey}`, ...headers },
    ...(payload !== undefined && { payload }),
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs)
  })
  try {
    return await Promise.race([request, late])
  } finally {
    clearTimeout(timer)
  }
}

/** An answer comes, it is no fault of ours, and what is refused leaves nothing behind. */
async function withstands(operation: DescribedOperation, sent: Sent): Promise<void> {
  const before = await rowCounts(service.database)
  const answer = await send(operation, sent)
  const told = `${answer.statusCode} ${answer.body.slice(0, 300)}`
  if (answer.statusCode >= 500) throw new Error(told)
  if (answer.statusCode < 400) return
  const body: { statusCode?: unknown; message?: unknown } = answer.json()
  if (body.statusCode !== answer.statusCode || typeof body.message !== 'string') throw new Error(told)
  if (answer.body.length > 20_000) throw new Error(`an error of ${answer.body.length} characters: ${told}`)
  const after = await rowCounts(service.database)
  if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error(`${told} left rows behind`)
}

async function routesOfService(): Promise<DescribedOperation[]> {
  const any = await startTestService()
  const described = await describedOperations(any.app)
  await any.close()
  return described
}
const all = await routesOfService()
const named = (operation: DescribedOperation) => [operation.name, operation] as const

const json = { 'content-type': 'application/json' }

test('every operation of the service is attacked here', () => {
  const missing = all.filter((operation) => urlTemplateOf(operation) === undefined)
  expect(missing.map(({ name }) => name)).toEqual([])
  expect(all.length).toBeGreaterThan(170)
})

describe.each(all.filter(({ body }) => body).map(named))('the body of %s', (_name, operation) => {
  const right = () => useOf(operation)?.body?.(ids) ?? {}
  const { body } = operation
  const attack = (payloads: fc.Arbitrary<unknown>, toText: (payload: unknown) => string | Buffer) => {
    const url = urlOf(operation)
    const property = fc.asyncProperty(payloads, (payload) =>
      withstands(operation, { url, payload: toText(payload), headers: json }),
    )
    return fc.assert(property, runsOf(operation))
  }
  const toText = (payload: unknown) => JSON.stringify(payload) ?? 'null'

  test(
    'may have anything in the place of what is right',
    () => attack(spoilt(fc.constant(right())), toText),
    60_000,
  )

  test('may have anything in the place of what its schema allows', async () => {
    await attack(spoilt(body ? fitting(body) : fc.constant({})), toText)
  }, 60_000)

  test('may be what its schema allows', async () => {
    await attack(body ? fitting(body) : fc.constant({}), toText)
  }, 60_000)

  test('may be no JSON at all', () => {
    const text = JSON.stringify(right())
    return attack(mangled(text), (payload) => (Buffer.isBuffer(payload) ? payload : text))
  }, 60_000)

  test('may be too large, packed, or of another kind', async () => {
    const url = urlOf(operation)
    const text = JSON.stringify(right())
    const kinds: readonly Sent[] = [
      { url, payload: `{"name":"${'a'.repeat(10_000_000)}"}`, headers: json },
      { url, payload: gzipSync(text).subarray(0, 20), headers: { ...json, 'content-encoding': 'gzip' } },
      { url, payload: Buffer.from([0x1f, 0x8b]), headers: { ...json, 'content-encoding': 'br' } },
      { url, payload: text, headers: { 'content-type': 'text/plain' } },
      { url, payload: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { url, payload: text, headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      { url, payload: text, headers: { 'content-type': ';;;' } },
    ]
    for (const sent of kinds) await withstands(operation, sent)
  }, 60_000)
})

/** What cannot stand in a URL by itself is encoded; the rest is as it comes. */
const encoded = fc.oneof(
  hostileValue.map((value) =>
    encodeURIComponent(
      (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed().slice(0, 3000),
    ),
  ),
  fc.constantFrom(
    '%',
    '%ff',
    '%00',
    '%2e%2e%2f',
    '..%2f',
    '%',
    '%c0%ae',
    'a;b',
    'a#b',
    'x'.repeat(400),
    '1e3',
    '0x1',
    '-1',
    '9007199254740993',
    '1.5',
    '[object%20Object]',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
)

describe.each(all.filter(({ path }) => path.includes('{')).map(named))(
  'the path of %s',
  (_name, operation) => {
    test('may have anything in the place of an id', async () => {
      const template = urlTemplateOf(operation) ?? ''
      const count = namesInPath(template).length
      const use = useOf(operation)
      await fc.assert(
        fc.asyncProperty(encoded, fc.nat(), async (hostile, at) => {
          const marker = 'hostile-part'
          const url = fillTemplate(template, (id, index) => (index === at % count ? marker : (ids[id] ?? id)))
          const payload = use?.body?.(ids)
          await withstands(operation, {
            url: url.replace(marker, () => hostile),
            ...(payload && { payload }),
          })
        }),
        runsOf(operation),
      )
    }, 60_000)
  },
)

describe.each(all.filter(({ method }) => method === 'GET').map(named))(
  'the query of %s',
  (_name, operation) => {
    test('may say anything', async () => {
      const url = urlOf(operation)
      const names = [
        'limit',
        'page',
        'nextId',
        'from',
        '__proto__',
        'unknown',
        ...operation.query.map((parameter) => parameter.name),
      ]
      const parameter = fc.tuple(fc.constantFrom(...names.filter((one) => one !== waits)), encoded)
      await fc.assert(
        fc.asyncProperty(fc.array(parameter, { minLength: 1, maxLength: 4 }), (parameters) => {
          const query = parameters.map(
            ([key, value]) => `${encodeURIComponent(key)}=${value.replace('#', '%23')}`,
          )
          return withstands(operation, { url: `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}` })
        }),
        runsOf(operation),
      )
    }, 60_000)
  },
)
