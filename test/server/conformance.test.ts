import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, urlOf } from '../support/api-operations.ts'
import { type Ids, oneOfEverything } from '../support/one-of-everything.ts'
import {
  contractFaults,
  contractIsHere,
  contractOperations,
  isPaged,
  skippedWithoutContract,
} from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

describe.skipIf(!contractIsHere)(`the contract of existing clients${skippedWithoutContract}`, () => {
  let service: TestService
  let ids: Ids
  beforeAll(async () => {
    service = await startTestService({ publicOrigin: 'https://picket.example' })
    ids = await oneOfEverything(service)
  }, 60_000)
  afterAll(() => service.close())

  test('has no operation that is missing here', () => {
    expect(contractOperations.filter((operation) => !Object.hasOwn(operations, operation))).toEqual([])
  })

  test('has every operation that is used here', () => {
    expect(Object.keys(operations).filter((operation) => !contractOperations.includes(operation))).toEqual([])
  })

  test.each(Object.entries(operations))('%s answers as it says', async (operation, use) => {
    const [method = '', route = ''] = operation.split(' ')
    const answer = await service.api(method, urlOf(use, ids), use.body?.(ids))
    expect([answer.statusCode, answer.statusCode === use.status ? '' : answer.body]).toEqual([use.status, ''])
    if (use.status === 204) expect(answer.body).toBe('')
    if (use.status === 200 && isPaged(method, route) && Array.isArray(answer.json()))
      expect(answer.headers['content-range']).toMatch(/^(\d+-\d+|\*)\/\d+$/)
    const json = String(answer.headers['content-type']).includes('json') ? answer.json() : answer.body
    const faults = contractFaults(method, route, use.status, json)
    if (use.differs === undefined) expect(faults).toEqual([])
    // One that has come to conform is not told of as differing.
    else expect(faults).not.toEqual([])
  })

  test('has the body of a 429', async () => {
    const limited = await startTestService({ rateLimitAMinute: 1 })
    await limited.api('GET', '/v1/checks')
    const answer = await limited.api('GET', '/v1/checks')
    expect([answer.statusCode, contractFaults('GET', '/v1/checks', 429, answer.json())]).toEqual([429, []])
    await limited.close()
  })

  test('has the body of a 401 and of a 404', async () => {
    const wrong = await service.app.inject({ url: '/v1/checks', headers: { authorization: 'Bearer no' } })
    expect([wrong.statusCode, contractFaults('GET', '/v1/checks', 401, wrong.json())]).toEqual([401, []])
    const none = await service.api('GET', `/v1/checks/${ids['none']}`)
    expect([none.statusCode, contractFaults('GET', '/v1/checks/{id}', 404, none.json())]).toEqual([404, []])
  })
})

const all = Object.entries(operations)
const differing = all.filter(([, { differs }]) => differs !== undefined)

test(`docs/conformance.md tells of ${all.length} operations: ${all.length - differing.length} conform, ${differing.length} differ on purpose, 0 are missing`, async () => {
  const rows = all
    .toSorted(([a], [b]) => (routeOf(a) < routeOf(b) ? -1 : 1))
    .map(([operation, { differs }]) => [`\`${operation}\``, differs ? `differs: ${differs}` : 'conforms'])
  const page = [
    '# Conformance',
    '',
    'Existing clients of the Management API (the `checkly` command and SDKs) are served unmodified. Every operation of the API they speak is',
    "driven through a running service, its status, headers and body held against that API's own schemas (test/server/conformance.test.ts).",
    '',
    `${all.length} operations: ${all.length - differing.length} conform, ${differing.length} differ on purpose, 0 are missing.`,
    '',
    ...table([['operation', 'how it answers'], ...rows]),
    '',
    'When to update this page: never by hand. `npx vitest run --project unit test/server/conformance.test.ts -u` writes it.',
    '',
  ]
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/conformance.md')
})

/** With its columns aligned, as the formatter wants it. */
function table([head = [], ...rows]: string[][]): string[] {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
}

const routeOf = (operation: string) => operation.split(' ').toReversed().join(' ')
