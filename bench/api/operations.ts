import { apiKey } from './settings.ts'
import { checkIdOf, mixed } from './stored-result.ts'

/** One request. `path` may have a query. */
interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
}

export interface Operation {
  readonly name: string
  readonly kind: 'read' | 'write'
  /** Requests at the same time. */
  readonly inFlight: number
  /** The request number `n` of this run; `run` differs from one run to the next. */
  readonly ask: (n: number, run: string) => Asked
}

/** Of those that are stored: `busy` of them have half of the results. */
interface Stored {
  readonly checks: number
  readonly busy: number
}

const many = 50
const read = (name: string, path: (n: number) => string, inFlight = many): Operation => ({
  name,
  kind: 'read',
  inFlight,
  ask: (n) => ({ method: 'GET', path: path(n) }),
})
const write = (name: string, ask: Operation['ask'], inFlight = many): Operation => ({
  name,
  kind: 'write',
  inFlight,
  ask,
})

export const tagsOfChecks = 100
export const variableKey = 'BENCH_READ'

/** A body of a check with what most have. */
export const checkBody = (name: string, url: string, tags: readonly string[], frequency: object) => ({
  name,
  locations: ['eu-west-1', 'us-east-1'],
  tags,
  ...frequency,
  request: {
    url,
    headers: [{ key: 'accept', value: 'application/json' }],
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
  },
})

/** Once a day: what is planned in the background is next to nothing. */
export const daily = { frequency: 1440 }

export function readsOf({ checks, busy }: Stored): readonly Operation[] {
  const any = (n: number) => checkIdOf(mixed(n, 7) % checks)
  const busyOne = (n: number) => checkIdOf(mixed(n, 7) % busy)
  const analytics = (n: number, query: string) =>
    `/v1/analytics/api-checks/${busyOne(n)}?metrics=availability,responseTime_avg,responseTime_p95&${query}`
  return [
    read('a check', (n) => `/v1/checks/${any(n)}`),
    read('10 checks, page 1', () => '/v1/checks?limit=10&page=1'),
    read('10 checks, page 500', () => '/v1/checks?limit=10&page=500'),
    read('10 checks by tag', (n) => `/v1/checks?limit=10&tag=tag-${n % tagsOfChecks}`),
    read('status of a check', (n) => `/v1/check-statuses/${any(n)}`),
    read('10 newest results of a busy check', (n) => `/v1/check-results/${busyOne(n)}?limit=10`),
    read(
      '10 newest results of a quiet check',
      (n) => `/v1/check-results/${checkIdOf(busy + (n % (checks - busy)))}?limit=10`,
    ),
    read(
      '10 failed results of a busy check, one location',
      (n) => `/v1/check-results/${busyOne(n)}?limit=10&hasFailures=true&location=eu-west-1`,
    ),
    read('10 newest results by cursor (v2), busy check', (n) => `/v2/check-results/${busyOne(n)}?limit=10`),
    read('analytics of 24 h by the hour, busy check', (n) =>
      analytics(n, 'quickRange=last24Hours&aggregationInterval=60'),
    ),
    read('analytics of 30 days by the day, busy check', (n) =>
      analytics(n, 'quickRange=last30Days&aggregationInterval=1440&limit=100'),
    ),
    read('a variable', () => `/v1/variables/${variableKey}`),
    read('runtimes (no key)', () => '/v1/runtimes'),
    read(
      'report of 30 days, checks of a tag',
      (n) => `/v1/reporting?quickRange=last30Days&filterByTags=tag-${n % tagsOfChecks}`,
      1,
    ),
    read('report of 30 days, all checks', () => '/v1/reporting?quickRange=last30Days', 1),
    read('statuses of all checks', () => '/v1/check-statuses', 1),
  ]
}

export function writesOf({ checks }: Stored): readonly Operation[] {
  const any = (n: number) => mixed(n, 11) % checks
  const body = (n: number, run: string) =>
    checkBody(`Made ${run} ${n}`, `https://made-${n}.example/`, ['made', `tag-${n % tagsOfChecks}`], daily)
  return [
    write('create a check', (n, run) => ({ method: 'POST', path: '/v1/checks/api', body: body(n, run) })),
    write('update a check', (n, run) => ({
      method: 'PUT',
      path: `/v1/checks/api/${checkIdOf(any(n))}`,
      body: body(n, run),
    })),
    write('update a variable', (n, run) => ({
      method: 'PUT',
      path: `/v1/variables/${variableKey}`,
      body: { key: variableKey, value: `a value ${run} ${n}` },
    })),
    // In turns, because an account has at most 1,000.
    write(
      'create and delete a variable',
      (n, run) => {
        const key = `BENCH_${run}_${n >> 1}`
        const path = '/v1/variables'
        return n % 2 === 0
          ? { method: 'POST', path, body: { key, value: 'a value' } }
          : { method: 'DELETE', path: `${path}/${key}` }
      },
      1,
    ),
  ]
}

export const emptyRoute = read('an empty Fastify route', () => '/')
export const headers = { authorization: `Bearer ${apiKey}` }
