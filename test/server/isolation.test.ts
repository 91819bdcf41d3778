import { afterAll, describe, expect, test } from 'vitest'
import type { DescribedOperation } from '../support/described-operations.ts'
import { fillTemplate, namesInPath, urlTemplateOf, useOf } from '../support/ids-of-paths.ts'
import { allRows } from '../support/table-rows.ts'
import type { TestService } from '../support/test-service.ts'
import { idOf, marksIn, ofNobody, startTwoAccounts, theirNumber } from '../support/two-accounts.ts'

const { ours, theirs, ourIds, theirIds, all, theirMarks } = await startTwoAccounts()
afterAll(() => ours.close())

/** Which of the ids in a path are theirs: all, or some of several. */
function mixtures(names: readonly string[]): boolean[][] {
  const count = 2 ** names.length
  return Array.from({ length: count - 1 }, (_, index) =>
    names.map((_name, at) => ((index + 1) >> at) % 2 === 1),
  )
}

/** The operations with an id in their path that may be somebody's. */
const ofAccounts = () =>
  all.filter((operation) => {
    const names = namesInPath(urlTemplateOf(operation) ?? '')
    const ofOne = names.length === 0 || names.some((name) => !ofNobody.has(name))
    return !operation.isPublic && operation.path.includes('{') && ofOne
  })

test('every operation with an id in its path has an id that is known to be there', () => {
  const unknown = ofAccounts().filter((operation) => {
    const names = namesInPath(urlTemplateOf(operation) ?? '')
    return names.length === 0 || names.some((name) => theirIds[name] === undefined)
  })
  expect(unknown.map(({ name }) => name)).toEqual([])
  expect(ofAccounts().length).toBeGreaterThan(80)
})

/** The same kind of id, of nothing. */
function nobodys(id: string): string {
  if (/^\d+$/.test(id)) return '99999999'
  return id.length === 36 ? idOf(ourIds, 'none') : 'there-is-none'
}

interface Asked {
  readonly operation: DescribedOperation
  readonly url: string
  /** The same with ids of nobody in the places of theirs. */
  readonly emptyUrl: string
}

/** Each operation with theirs in the place of each id and of all of them. */
const foreignUrls = (): Asked[] =>
  ofAccounts().flatMap((operation) => {
    const template = urlTemplateOf(operation) ?? ''
    return mixtures(namesInPath(template)).map((mixture) => {
      const fill = (foreign: (name: string) => string) =>
        fillTemplate(template, (name, index) => (mixture[index] ? foreign(name) : idOf(ourIds, name)))
      const url = fill((name) => idOf(theirIds, name))
      return { operation, url, emptyUrl: fill((name) => nobodys(idOf(theirIds, name))) }
    })
  })

/** What the service can do for nobody says so whatever it is asked for. */
const forNobody = /^POST \/v1\/root-cause-analyses\//

test('an id of another account is answered like one of nothing, whatever is asked of it, and changes nothing', async () => {
  const before = await allRows(ours.database)
  const wrong: string[] = []
  for (const { operation, url, emptyUrl } of foreignUrls()) {
    const body = useOf(operation)?.body?.(ourIds) ?? (operation.body && {})
    const answer = await ours.api(operation.method, url, body)
    const told = `${operation.method} ${url}: ${answer.statusCode} ${answer.body}`
    if (answer.statusCode !== 404 && !forNobody.test(operation.name)) wrong.push(told)
    if (answer.body !== (await ours.api(operation.method, emptyUrl, body)).body)
      wrong.push(`differs: ${told}`)
    wrong.push(...marksIn(theirMarks, answer.body).map((mark) => `${operation.name} tells ${mark}`))
  }
  expect(wrong).toEqual([])
  expect(await allRows(ours.database)).toEqual(before)
})

/** The result of a test is made by whoever runs one. */
const notMade = new Set(['GET /v1/test-sessions/{testSessionId}/results/{resultId}'])

test('what answers 404 to one account is there for the other', async () => {
  const missing: string[] = []
  for (const operation of ofAccounts().filter(({ method, name }) => method === 'GET' && !notMade.has(name))) {
    const url = fillTemplate(urlTemplateOf(operation) ?? '', (name) => idOf(theirIds, name))
    const { statusCode } = await theirs.api('GET', url)
    if (statusCode === 404) missing.push(operation.name)
  }
  expect(missing).toEqual([])
}, 30_000)

describe('no list, search or filter of one account', () => {
  const totalOf = (answer: Awaited<ReturnType<TestService['api']>>) =>
    Number(String(answer.headers['content-range'] ?? '').split('/')[1] ?? 0)

  /** The URLs of one operation with each of its parameters asking for what is theirs. */
  function filtersOf({ query }: DescribedOperation, url: string): string[] {
    const joint = url.includes('?') ? '&' : '?'
    return query.flatMap(({ name }) =>
      theirMarks.map((mark) => `${url}${joint}${encodeURIComponent(name)}=${mark}`),
    )
  }

  test('holds or counts anything of another', async () => {
    const wrong: string[] = []
    const look = async (url: string) => {
      const answer = await ours.api('GET', url)
      if (answer.statusCode >= 500) wrong.push(`${url}: ${answer.statusCode}`)
      const sent = answer.statusCode === 200 ? '' : decodeURIComponent(url)
      wrong.push(...marksIn(theirMarks, answer.body, sent).map((mark) => `${url} tells ${mark}`))
      return totalOf(answer)
    }
    for (const operation of all.filter(({ method }) => method === 'GET')) {
      const url = fillTemplate(urlTemplateOf(operation) ?? operation.path, (name) => ourIds[name] ?? name)
      const total = await look(url)
      for (const filter of filtersOf(operation, url)) {
        const found = await look(filter)
        if (found > total) wrong.push(`${filter} counts ${found} of ${total}`)
      }
    }
    expect(wrong).toEqual([])
  }, 30_000)
})

test('what is unique over all accounts is refused without a word of whose it is', async () => {
  const answers = [
    await ours.api('POST', '/v1/dashboards', { customUrl: `board-${theirNumber}` }),
    await ours.api('POST', '/v1/status-pages', { name: 'n', url: `shop-${theirNumber}`, cards: [] }),
  ]
  for (const answer of answers) {
    expect(answer.statusCode).toBe(409)
    expect(marksIn(theirMarks, answer.body, String(theirNumber))).toEqual([])
  }
})

test('what is unique in an account may be in another too', async () => {
  const place = await ours.api('POST', '/v1/private-locations', {
    name: 'n',
    slugName: `office-${theirNumber}`,
  })
  const variable = await ours.api('POST', '/v1/variables', { key: `TOKEN_${theirNumber}`, value: 'ours' })
  expect([place.statusCode, variable.statusCode]).toEqual([201, 201])
  expect((await theirs.api('GET', `/v1/variables/TOKEN_${theirNumber}`)).json().value).not.toBe('ours')
})

test('the token of one check’s trigger runs no other check', async () => {
  const [token, theirToken] = await Promise.all(
    [[ours, ourIds] as const, [theirs, theirIds] as const].map(
      async ([account, ids]) =>
        (await account.api('GET', `/v1/triggers/checks/${ids['check']}`)).json().token,
    ),
  )
  expect(token).not.toBe(theirToken)
  const before = await allRows(ours.database)
  for (const url of [
    `/checks/${theirIds['check']}/trigger/${token}`,
    `/checks/${ourIds['check']}/trigger/${theirToken}`,
    `/check-groups/${theirIds['group']}/trigger/${theirToken}`,
  ]) {
    const answer = await ours.app.inject(url)
    expect([url, answer.statusCode]).toEqual([url, 404])
  }
  expect(await allRows(ours.database)).toEqual(before)
})
