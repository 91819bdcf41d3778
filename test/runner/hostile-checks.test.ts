import { describe, expect, test } from 'vitest'
import { isCheap } from '../../src/agent/judging/in-place.ts'
import { createEgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules, parseEgressRules } from '../../src/rules/egress/egress-rules.ts'
import { attemptSecrets } from '../../src/rules/redaction/attempt-secrets.ts'
import { fillRequest } from '../../src/rules/template/fill-request.ts'
import { fail, observe } from '../support/api-attempt.ts'
import { apiDefinition, apiRequest, entry } from '../support/api-definition.ts'
import { apiObservation, observed } from '../support/api-outcomes.ts'
import { startHttpTarget } from '../support/http-target.ts'

const secret = (key: string, value: string) => ({ key, value, locked: false, secret: true })
const sources = { now: () => 0, uuid: () => '', random: () => 0 }

describe('a hostile target', () => {
  test('that redirects with thousands of keys makes no secrets of them', async () => {
    const location = `/end?${Array.from({ length: 3000 }, (_, n) => `key=value-${n}`).join('&')}`
    await using target = await startHttpTarget({
      '/': (response) => response.writeHead(302, { location }).end(),
      '/end': (response) => response.end('ok'),
    })
    const { observation } = await observe(`${target.origin}/?api_key=of-the-check`)
    expect(observation.hops).toHaveLength(2)
    const secrets = attemptSecrets(apiDefinition(`${target.origin}/?api_key=of-the-check`), observation)
    expect(new Set(secrets.filter((text) => text !== ''))).toEqual(new Set(['of-the-check']))
  })

  test('of another origin does not get a header that holds a secret', async () => {
    await using other = await startHttpTarget({ '/': (response) => response.end('ok') })
    await using target = await startHttpTarget({
      '/': (response) => response.writeHead(307, { location: other.origin }).end(),
    })
    const headers = [entry('x-acme', 'hunter2-very-secret'), entry('x-plain', 'plain')]
    await observe(target.origin, { headers }, {}, { variables: [secret('TOKEN', 'hunter2-very-secret')] })
    expect(target.requests[0]?.headers).toMatchObject({ 'x-acme': 'hunter2-very-secret' })
    expect(other.requests[0]?.headers).toMatchObject({ 'x-plain': 'plain' })
    expect(other.requests[0]?.headers).not.toHaveProperty('x-acme')
  })
})

describe('a hostile check', () => {
  test.each(['http://db.internal../', 'http://a..b/'])(
    'does not get around the policy with %s',
    async (url) => {
      expect((await fail(url)).cause.class).toBe('invalid-request')
    },
  )

  test('is refused by name with any number of dots at its end', () => {
    const read = parseEgressRules('db.internal')
    if (!('rules' in read)) throw new Error(read.fault)
    const policy = createEgressPolicy({ allow: noEgressRules, deny: read.rules })
    for (const name of ['db.internal', 'db.internal.', 'db.internal..', 'metadata.google.internal..']) {
      expect(policy.forbidsHost(name)).toBe(true)
    }
  })

  test('cannot keep the agent busy with a date that is none', () => {
    const variables = [{ key: 'V', value: '['.repeat(65_536), locked: false, secret: false }]
    const filled = fillRequest(apiRequest('http://a.test/', { body: '{{date V}}' }), variables, sources)
    expect(filled.kind).toBe('template-invalid')
  })

  test('cannot keep the agent busy with escaping', () => {
    const variables = [{ key: 'V', value: '&'.repeat(65_536), locked: false, secret: false }]
    const filling = (times: number) =>
      fillRequest(apiRequest('http://a.test/', { body: '{{V}}'.repeat(times) }), variables, sources)
    expect(filling(1).kind).toBe('filled')
    const began = process.threadCpuUsage()
    expect(filling(400)).toMatchObject({ kind: 'template-invalid', reason: expect.stringContaining('work') })
    // Without the bound it is more than a second, of a processor of its own.
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(600)
  })

  test.each([
    ['secrets', [secret('A', 'x'.repeat(70_000))], {}],
    ['headers of the answer', [], { headers: { 'x-long': 'x'.repeat(70_000) } }],
  ])('with long %s is not judged in place', (_what, variables, response) => {
    const definition = { ...apiDefinition('http://a.test/'), variables }
    expect(isCheap(definition, observed(response))).toBe(false)
    expect(isCheap(apiDefinition('http://a.test/'), observed({}))).toBe(true)
  })
})

test('a secret that a URL cuts in two leaves neither part', () => {
  const request = apiRequest('http://a.test/x?t={{T}}')
  const variables = [secret('T', 'LeakTokenAAAA==&LeakTokenBBBB')]
  const secrets = attemptSecrets({ request, variables }, { ...apiObservation(), hops: [] })
  expect(secrets).toEqual(expect.arrayContaining(['LeakTokenAAAA', 'LeakTokenBBBB']))
})
