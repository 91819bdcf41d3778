import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const post = (path: string, json: string) =>
  service.app.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    payload: json,
  })
const snippetWith = (json: string) => post('/v1/snippets', `{"name":"n","script":"","unknown":${json}}`)
const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

test.each([
  ['lists', lists(64)],
  ['very many lists', lists(250_000)],
  ['lists that never end', '['.repeat(500_000)],
  ['objects', `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`],
])('a body that is nested too deep is refused before it is read: %s', async (_what, json) => {
  const answer = await snippetWith(json)
  expect([answer.statusCode, answer.json().message]).toEqual([400, 'the body is nested more than 64 deep'])
})

test.each([
  ['as deep as may be', lists(63)],
  ['many side by side', `[${Array(1000).fill('{"a":[]}').join(',')}]`],
  ['brackets in a text', JSON.stringify(`"${'[{'.repeat(100)}\\"${'[{'.repeat(100)}`)],
  ['a text that ends with a backslash', `["\\\\",${JSON.stringify('['.repeat(100))}]`],
])('a body is read: %s', async (_what, json) => {
  const answer = await snippetWith(json)
  expect(answer.statusCode, answer.body).toBe(201)
})

test('a body is as long as what may be stored, and a script or a list of subscriptions as they need', async () => {
  const filler = (kib: number) => JSON.stringify('x'.repeat(kib * 1024))
  expect((await snippetWith(filler(500))).statusCode).toBe(201)
  expect((await snippetWith(filler(512))).statusCode).toBe(413)
  const check = (kib: number) =>
    `{"checkType":"BROWSER","name":"n","script":"","locations":["eu-west-1"],"unknown":${filler(kib)}}`
  expect((await post('/v1/checks', check(1200))).statusCode).toBe(201)
  expect((await post('/v1/checks/browser', check(1200))).statusCode).toBe(201)
  expect((await post('/v1/checks/browser', check(1300))).statusCode).toBe(413)
  const channel = (kib: number) =>
    `{"type":"EMAIL","config":{"address":"a@b.example"},"unknown":${filler(kib)}}`
  expect((await post('/v1/alert-channels', channel(2000))).statusCode).toBe(201)
  expect((await post('/v1/alert-channels', channel(2100))).statusCode).toBe(413)
})
