import { describe, expect, test } from 'vitest'
import type { AssertionResult } from '../../src/contract/assertion.ts'
import type {
  HttpEvidence,
  ReceivedResponse,
  SentRequest,
} from '../../src/contract/checks/http-observation.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { type Report, toReport } from '../../src/runner/report.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { apiObservation, observed, unreachable } from '../support/api-outcomes.ts'

const maxStoredBytes = 1024 * 1024
const passing = { state: 'passing', overMaxResponseTime: false, overDegradedResponseTime: false } as const
const nothingJudged = { assertions: [], verdict: { ...passing, reasons: [] } }

/** A check with these values in variables that are marked as secrets. */
function checkWith(...secrets: readonly string[]): CheckDefinition {
  const variables = secrets.map((value, index) => ({ key: `S${index}`, value, locked: false, secret: true }))
  return { ...apiDefinition('http://target.test/'), variables }
}

const hop = {
  method: 'GET',
  url: 'http://target.test/',
  status: 200,
  remoteAddress: null,
  addresses: [],
  tls: null,
  timings: { startedUs: 0, totalUs: 0, phasesUs: observed({}).timings.phasesUs },
}

function seen(request: Partial<SentRequest>, response: Partial<ReceivedResponse> = {}): Outcome {
  const observation = apiObservation(response)
  return { ...observed({}), observation: { ...observation, request: { ...observation.request, ...request } } }
}

const told = (outcome: Outcome, definition = checkWith()) => toReport(definition, outcome, nothingJudged)

function observationOf({ outcome }: Report): HttpEvidence & { readonly response: ReceivedResponse } {
  if (outcome.type !== 'API' || outcome.kind !== 'observed') throw new Error('nothing was observed')
  return outcome.observation
}

const responseTold = (response: Partial<ReceivedResponse>, definition = checkWith()) =>
  observationOf(told(seen({}, response), definition)).response
const requestTold = (request: Partial<SentRequest>, definition = checkWith()) =>
  observationOf(told(seen(request), definition)).request

describe('a report without secrets', () => {
  test('tells the outcome and the judgement as they are', () => {
    const outcome = seen({ headers: { accept: '*/*' } }, { headers: { a: ['b', 'c'] }, body: 'd' })
    const judgement = { ...nothingJudged, assertions: [] }
    expect(toReport(checkWith(), outcome, judgement)).toEqual({ outcome, ...judgement })
  })

  test('tells why there is nothing observed', () => {
    expect(told(unreachable('refused')).outcome).toEqual(unreachable('refused'))
  })
})

describe('a body', () => {
  test('up to the cap is told as it is', () => {
    const body = 'é'.repeat(maxStoredBytes / 2)
    expect(responseTold({ body })).toMatchObject({ body, truncated: false })
  })

  test('that is longer is cut between characters, and it is said', () => {
    const capped = responseTold({ body: `x${'é'.repeat(maxStoredBytes / 2)}` })
    expect(capped).toMatchObject({ body: `x${'é'.repeat(maxStoredBytes / 2 - 1)}`, truncated: true })
  })

  test('that is far longer is cut as well, of a request too', () => {
    const body = 'x'.repeat(3 * maxStoredBytes)
    expect(responseTold({ body })).toMatchObject({ body: 'x'.repeat(maxStoredBytes), truncated: true })
    expect(requestTold({ body }).body).toBe('x'.repeat(maxStoredBytes))
  })

  test('that is binary stays null', () => {
    expect(responseTold({ body: null })).toMatchObject({ body: null, truncated: false })
    expect(responseTold({ body: null, truncated: true })).toMatchObject({ body: null, truncated: true })
  })

  test('that was cut when it was read stays so', () => {
    expect(responseTold({ body: 'a', truncated: true })).toMatchObject({ body: 'a', truncated: true })
  })

  test.each([1, 5, 20, 39])(
    'keeps nothing of a secret that the cap goes through after %i characters',
    (inside) => {
      const secret = 'k9Qz7/a-secret-of-forty-characters-in-all'
      const filler = '-'.repeat(maxStoredBytes - inside)
      const { body } = responseTold({ body: `${filler}${secret}${filler}` }, checkWith(secret))
      expect(body?.replace(/-+/, '')).toMatch(/^(<redacted>|<redacted|<redacte|<redac|<red|<r|<)/)
      expect(body).not.toContain('k9Qz')
    },
  )

  test('keeps nothing of a secret that was cut when it was read', () => {
    const body = 'all but a bit of k9Qz7/a-secret-of-for'
    const definition = checkWith('k9Qz7/a-secret-of-forty-characters')
    expect(responseTold({ body, truncated: true }, definition).body).toBe('all but a bit of <redacted>')
    expect(responseTold({ body, truncated: false }, definition).body).toBe(body)
  })

  test('in which secrets take most of the room is told as far as it was looked at', () => {
    const secret = 'k'.repeat(1000)
    const { body, truncated } = responseTold({ body: `${secret} `.repeat(3000) }, checkWith(secret))
    expect(truncated).toBe(true)
    expect(body).toMatch(/^(<redacted> )+(<redacted>)?$/)
  })
})

describe('headers', () => {
  test('that are sensitive are not told, of request and response', () => {
    expect(requestTold({ headers: { 'X-Api-Key': 'a', accept: 'b' } }).headers).toEqual({
      'X-Api-Key': '<redacted>',
      accept: 'b',
    })
    expect(responseTold({ headers: { 'set-cookie': ['a=b', 'c=d'], via: 'e' } }).headers).toEqual({
      'set-cookie': '<redacted>',
      via: 'e',
    })
  })

  test('may hold URLs, whose passwords and tokens are not told', () => {
    const headers = {
      location: 'https://user:pass@b.example/?token=t&page=2',
      link: ['<https://u:v@c/>', 'd'],
    }
    expect(responseTold({ headers }).headers).toEqual({
      location: 'https://user:<redacted>@b.example/?token=<redacted>&page=2',
      link: ['<https://u:<redacted>@c/>', 'd'],
    })
  })

  test('that JSON readers take for an attack are left out: one target must not spoil a batch of results', () => {
    const headers = JSON.parse('{"__proto__":"x","constructor":"y"}')
    const report = told(seen({}, { headers }))
    expect(JSON.stringify(report)).not.toContain('__proto__')
    expect(observationOf(report).response.headers).toEqual({ constructor: 'y' })
  })
})

test('the credentials that were sent are told nowhere', () => {
  const credentials = Buffer.from('user:hunter2').toString('base64')
  const outcome = seen(
    { headers: { authorization: `Basic ${credentials}`, cookie: 'sid=k9Qz7; theme=dark-blue' } },
    { body: `{"basic":"${credentials}","password":"hunter2","cookies":["k9Qz7","dark-blue"]}` },
  )
  expect(observationOf(told(outcome)).response.body).toBe(
    '{"basic":"<redacted>","password":"<redacted>","cookies":["<redacted>","<redacted>"]}',
  )
})

describe('a secret is told nowhere', () => {
  const secret = 'k9Qz7 "secret"'
  const definition = checkWith(secret)

  test('of an observation', () => {
    const encoded = encodeURIComponent(secret)
    const outcome: Outcome = {
      ...observed({}),
      observation: {
        request: {
          method: 'POST',
          url: `http://target.test/${encoded}`,
          headers: { 'x-a': `a ${secret}` },
          body: JSON.stringify({ secret }),
        },
        response: {
          ...apiObservation().response,
          statusText: secret,
          headers: { [secret]: 'name', echo: [secret, encoded], location: `/?q=${encoded}` },
          body: `<p>${secret}</p>`,
        },
        hops: [
          {
            ...hop,
            url: `http://target.test/?a=${encoded}`,
            remoteAddress: secret,
            addresses: [{ address: secret, fate: 'connected', code: null, tookUs: 1 }],
          },
        ],
        tls: null,
      },
    }
    const text = JSON.stringify(told(outcome, definition))
    expect(text).not.toContain('k9Qz7')
    expect(text.match(/<redacted>/g)).toHaveLength(12)
  })

  test('of a failure', () => {
    const outcome: Outcome = {
      ...unreachable('truncated', 200),
      cause: { class: 'truncated', code: null, message: `it says ${secret}`, phase: 'download' },
      evidence: { ...apiObservation({ body: secret }), hops: [{ ...hop, url: `http://a/${secret}` }] },
    }
    const text = JSON.stringify(told(outcome, definition))
    expect(text).not.toContain('k9Qz7')
    expect(text.match(/<redacted>/g)).toHaveLength(3)
  })

  test('of assertions and of the verdict', () => {
    const assertion: AssertionResult = {
      source: 'TEXT_BODY',
      comparison: 'EQUALS',
      property: `(${secret})`,
      target: secret,
      regex: secret,
      actual: `a ${secret}`,
      holds: false,
      message: `expected ${secret}, was ${JSON.stringify(secret)}`,
    }
    const report = toReport(definition, seen({}), {
      assertions: [assertion],
      verdict: { ...passing, state: 'failing', reasons: [`because of ${secret}`] },
    })
    expect(report.assertions).toEqual([
      {
        ...assertion,
        property: '(<redacted>)',
        target: '<redacted>',
        regex: '<redacted>',
        actual: 'a <redacted>',
        message: 'expected <redacted>, was "<redacted>"',
      },
    ])
    expect(report.verdict.reasons).toEqual(['because of <redacted>'])
  })

  test('of what was shortened, not a part of it either', () => {
    const assertion: AssertionResult = {
      source: 'TEXT_BODY',
      comparison: 'EQUALS',
      property: '',
      target: '',
      regex: null,
      actual: 'a k9Qz7 "sec…',
      holds: false,
      message: 'expected TEXT_BODY EQUALS k9Qz…, was "k9Qz7 \\"…',
    }
    const verdict = { ...passing, state: 'failing', reasons: [assertion.message ?? ''] } as const
    const report = toReport(definition, seen({}), {
      assertions: [assertion],
      verdict: { ...verdict, reasons: [...verdict.reasons] },
    })
    const message = 'expected TEXT_BODY EQUALS <redacted>…, was "<redacted>…'
    expect(report.assertions[0]).toMatchObject({ actual: 'a <redacted>…', message })
    expect(report.verdict.reasons).toEqual([message])
  })

  test('but in what must stay what it is: kinds, classes, codes and states', () => {
    const outcome = unreachable('refused')
    const report = told(outcome, checkWith('unreachable', 'refused', 'connect', 'passing', 'GET'))
    expect(report.verdict.state).toBe('passing')
    expect(report.outcome).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'refused', phase: 'connect', message: 'it failed: <redacted>' },
      evidence: { request: { method: 'GET' } },
    })
  })
})
