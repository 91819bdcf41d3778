import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readCheckFile } from '../../src/cli/read-check-files.ts'

const dir = mkdtempSync(join(tmpdir(), 'picket-files-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** What is read of a file with this content, without the name of the file. */
async function read(content: string) {
  const path = join(dir, 'checks.yaml')
  writeFileSync(path, content)
  const { definitions, faults } = await readCheckFile(path)
  expect(faults.filter((fault) => !fault.startsWith(`${path}: `))).toEqual([])
  return { definitions, faults: faults.map((fault) => fault.slice(path.length + 2)) }
}

const request = '{ url: "http://a.test" }'

describe('a key that means nothing is named', () => {
  test.each([
    ['asertions: []', '"asertions" is not a known key: did you mean "request.assertions"?'],
    ['frequency_offset: 5', '"frequency_offset" is not a known key: did you mean "frequencyOffset"?'],
    ['url: "http://a.test"', '"url" is not a known key: did you mean "request.url"?'],
    ['timeout: 5', '"timeout" is not a known key'],
    ['"\\u001b[31m": 1', '"\\u001b[31m" is not a known key'],
    [
      'retryStrategy: { type: FIXED, maxRetry: 3 }',
      '"retryStrategy.maxRetry" is not a known key: did you mean "retryStrategy.maxRetries"?',
    ],
    [
      'alertSettings: { reminders: { amout: 1 } }',
      '"alertSettings.reminders.amout" is not a known key: did you mean "alertSettings.reminders.amount"?',
    ],
    ['__proto__: { a: 1 }', '"__proto__" is not a known key'],
  ])('in a check: %s', async (line, fault) => {
    expect((await read(`name: a\nrequest: ${request}\n${line}`)).faults).toEqual([fault])
  })

  test.each([
    ['folowRedirects: false', '"request.folowRedirects"', 'did you mean "request.followRedirects"?'],
    [
      'headers: [{ key: a, valu: b }]',
      '"request.headers[0].valu"',
      'did you mean "request.headers[0].value"?',
    ],
    ['basicAuth: { user: a }', '"request.basicAuth.user"', 'did you mean "request.basicAuth.username"?'],
    [
      'assertions: [{ source: STATUS_CODE, comparison: EQUALS, target: "200", expected: 1 }]',
      '"request.assertions[0].expected"',
      'known are source, comparison, property, target, regex',
    ],
  ])('in a request: %s', async (line, path, advice) => {
    const { faults } = await read(`name: a\nrequest:\n  url: http://a.test\n  ${line}`)
    expect(faults).toEqual([`${path} is not a known key: ${advice}`])
  })

  test('with its place in the list, beside every other fault', async () => {
    const { faults } = await read(
      `checks:\n- { name: a, request: ${request} }\n- { nam: b, request: ${request} }`,
    )
    expect(faults).toEqual([
      'checks[1]: "nam" is not a known key: did you mean "name"?',
      'checks[1]: "name" is required',
    ])
  })

  test('also where it stands for the list itself, or beside it', async () => {
    expect((await read('cheks: []')).faults).toContain('"cheks" is not a known key: did you mean "checks"?')
    expect((await read('checks: { name: a }')).faults).toEqual(['"checks" must be a list'])
    expect((await read(`checks: [{ name: a, request: ${request} }]\nvariables: []`)).faults).toEqual([
      '"variables" is not a known key: only keys that begin with x- stand beside "checks"',
    ])
  })

  test('up to twenty of them in a check, each shortened', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `${'k'.repeat(900)}${index}: 1`).join('\n')
    const { faults } = await read(`name: a\nrequest: ${request}\n${keys}`)
    expect(faults).toHaveLength(20)
    expect(Math.max(...faults.map((fault) => fault.length))).toBeLessThan(200)
  })
})

test('what a service answers and other clients send is read as it is', async () => {
  const check = {
    ...{ id: '', checkType: 'API', created_at: '0001-01-01', updated_at: null, alertChannels: { email: [] } },
    ...{ name: 'a', heartbeat: {}, script: '', scriptPath: null, sslCheckDomain: '', dependencies: [] },
    groupId: null,
    request: {
      url: 'http://a.test',
      assertions: [
        ...[{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', regex: null }],
        ...[
          {
            source: 'JSON_BODY',
            comparison: 'NOT_NULL',
            edit: false,
            order: 1,
            arrayIndex: 0,
            arraySelector: '',
          },
        ],
      ],
    },
  }
  const { definitions, faults } = await read(JSON.stringify(check))
  expect(faults).toEqual([])
  expect(definitions).toMatchObject([{ name: 'a', request: { assertions: [{ target: '200' }, {}] } }])
})

test('what stands under a key with x- is for aliases', async () => {
  const { definitions, faults } = await read(
    `x-request: &request ${request}\nchecks:\n- { name: a, request: *request }\n- { name: b, request: *request }`,
  )
  expect(faults).toEqual([])
  expect(definitions.map(({ name }) => name)).toEqual(['a', 'b'])
})

describe('what can never be used is named before anything runs', () => {
  test.each([
    [
      'HEADERS, property: etag, regex: "("',
      '"request.assertions[0].regex" is not a valid regular expression',
    ],
    ['TEXT_BODY, property: "[a"', '"request.assertions[0].property" is not a valid regular expression'],
    ['JSON_BODY, property: "$["', '"request.assertions[0].property" is not a valid JSONPath'],
  ])('in an assertion of %s', async (assertion, fault) => {
    const { faults } = await read(
      `name: a\nrequest:\n  url: http://a.test\n  assertions: [{ source: ${assertion}, comparison: NOT_NULL }]`,
    )
    expect(faults).toEqual([expect.stringContaining(fault)])
  })

  test.each(['http://{{HOST', '{{#if HOST}}', 'ftp://{{HOST}}/{{'])(
    'once, in the template of the URL %s',
    async (url) => {
      const { faults } = await read(`name: a\nrequest: { url: "${url}" }`)
      expect(faults).toEqual([expect.stringContaining('"request.url" is not a valid template')])
    },
  )
})
