import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSchemas } from '../../src/contract/check-schemas.ts'
import {
  type DescribedOperation,
  describedOperations,
  type SchemaNode,
} from '../support/described-operations.ts'
import { type Ids, oneOfEverything } from '../support/one-of-everything.ts'
import type { ResourceKind } from '../support/resource-kind.ts'
import { bodiesOf, resourceKinds } from '../support/resource-kinds.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

/** PICKET_ROUND_TRIPS asks for more of each kind. */
const numRuns = Number(process.env['PICKET_ROUND_TRIPS'] ?? 15)

let service: TestService
let ids: Ids
let all: readonly DescribedOperation[]
beforeAll(async () => {
  service = await startTestService({ publicOrigin: 'https://picket.example', rateLimitAMinute: 10_000_000 })
  ids = await oneOfEverything(service)
  all = await describedOperations(service.app)
}, 60_000)
afterAll(() => service.close())

type Body = Readonly<Record<string, unknown>>
const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without what changes by itself: times of updates, and keys that are told once. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'updated_at' && key !== 'rawKey')
  return Object.fromEntries(kept.map(([key, inner]) => [key, lasting(inner)]))
}

/** The body of the POST; of a type that has no operation of its own, as the contract of that type says. */
function operationOf({ create, name }: ResourceKind): DescribedOperation {
  const operation = all.find(({ method, path }) => method === 'POST' && path === create)
  if (!operation) throw new Error(`the service has no POST ${create}`)
  if (create !== '/v1/checks') return operation
  const type = name.split(' ', 1)[0] as keyof typeof checkSchemas
  const body: SchemaNode = JSON.parse(JSON.stringify(checkSchemas[type].create))
  return { ...operation, body }
}

const told = (sent: Body, { untold }: ResourceKind) =>
  Object.fromEntries(Object.entries(sent).filter(([key]) => !untold.includes(key)))

/** Credentials are told as empty texts. */
const withoutCredentials = (sent: unknown): unknown =>
  JSON.parse(JSON.stringify(sent), (key, value) =>
    ['webhookSecret', 'serviceKey', 'apiKey'].includes(key) && value ? '' : value,
  )

describe.each(resourceKinds.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  test('comes back as it was sent, and sending back what was read changes nothing', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(bodiesOf(kind, operationOf(kind), ids), async (sent) => {
        const created = await service.api('POST', kind.create, sent)
        if (created.statusCode === 400) return
        accepted += 1
        expect([200, 201], created.body).toContain(created.statusCode)
        expect(created.json()).toMatchObject(withoutCredentials(told(sent, kind)) as object)

        const one = `${kind.one}${kind.idOf(created.json())}${kind.query}`
        const read = await service.api('GET', one)
        expect(lasting(read.json())).toMatchObject(lasting(created.json()) as object)

        const body: Body = read.json()
        const url = `${kind.replace}${kind.idOf(created.json())}`
        const replaced = await service.api('PUT', url, { ...body, ...kind.demanded })
        expect(replaced.statusCode, replaced.body).toBe(200)
        const again = await service.api('GET', one)
        expect(lasting(again.json())).toEqual(lasting(read.json()))
        await service.api('DELETE', one)
      }),
      { numRuns, endOnFailure: true },
    )
    // What the generator makes is right as a rule: else nothing was shown.
    expect(accepted).toBeGreaterThan(numRuns / 2)
  }, 60_000)
})
