import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { dayMs, hourMs } from '../../src/rules/rollup-time.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { rollUp } from '../../src/server/loops/roll-up.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { insertResults } from '../../src/storage/check-results.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { agentCapabilities, agentId, passingResult } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { contractFaults, contractIsHere } from '../support/shared-contract.ts'
import { addCheck, resultRow } from '../support/storage-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const minuteMs = 60_000
const definition = JSON.stringify({ name: 'n', muted: true, frequency: 5, tags: [] })
const faultsOf = (method: string, route: string, body: unknown) => contractFaults(method, route, 200, body)
let service: TestService
let checkId: string
/** Noon. */
let now: number

async function add(startedAt: number, changes: Partial<Schema['checkResults']> = {}): Promise<void> {
  const { accountId, database } = service
  await insertResults(database.kysely, [resultRow({ accountId, checkId, startedAt, ...changes })])
}

/** Two days of a result every hour at its half, 100 ms and more; the last ones fail with 500 at another location. */
beforeAll(async () => {
  service = await startTestService()
  checkId = (await service.api('POST', '/v1/checks/api', apiCheckBody({ tags: ['shop'] }))).json().id
  now = service.clock.now()
  for (let hours = 1; hours <= 48; hours += 1) {
    const failed = hours <= 2
    await add(now - hours * hourMs + 30 * minuteMs, {
      hasFailures: failed ? 1 : 0,
      location: failed ? 'us-east-1' : 'eu-west-1',
      statusCode: failed ? 500 : 200,
      attempt: failed ? 2 : 1,
      measures: JSON.stringify({ total: 100 + hours, connect: 2 }),
    })
  }
  await rollUp({ ...service, resultRetentionDays: 30 })
  // Of the hour that is not rolled up.
  await add(now - minuteMs, { hasErrors: 1, statusCode: 0, measures: '{}' })
})
afterAll(() => service.close())

const get = async (query: string, path = 'api-checks', id = checkId) =>
  await service.api('GET', `/v1/analytics/${path}/${id}?${query}`)
const read = async (query: string) => {
  const answer = await get(query)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

describe('figures of one check', () => {
  test('over the whole range are one point, of rolled-up hours and of single results alike', async () => {
    const answer = await read(
      'metrics=availability,retries,responseTime_avg,responseTime_max,tcp_sum,dns_avg',
    )
    expect(answer.series).toEqual([
      {
        data: [
          {
            availability: 91.6667,
            retries: 2,
            responseTime_avg: 112.5,
            responseTime_max: 124,
            tcp_sum: 48,
            dns_avg: null,
          },
        ],
      },
    ])
    expect(answer).toMatchObject({
      checkId,
      name: 'a check',
      checkType: 'API',
      activated: true,
      muted: false,
      tags: ['shop'],
      from: new Date(now - dayMs).toISOString(),
      to: new Date(now).toISOString(),
      pagination: { page: 1, limit: 10 },
      metadata: {
        availability: { unit: 'percentage', label: 'Availability' },
        tcp_sum: { unit: 'milliseconds', label: 'TCP connection', aggregation: 'sum' },
      },
    })
  })

  test('quantiles are within one percent', async () => {
    const [{ data }] = (await read('metrics=responseTime_p50,responseTime_p99&quickRange=last7Days')).series
    expect(data[0].responseTime_p50 / 124).toBeCloseTo(1, 1)
    expect(Math.abs(data[0].responseTime_p99 - 147) / 147).toBeLessThan(0.02)
  })

  test('a range that begins and ends within an hour has the results within it and no others', async () => {
    const from = now - 5 * hourMs + 30 * minuteMs
    const query = (start: number, end: number) => `metrics=responseTime_sum&from=${start}&to=${end}`
    const sum = async (start: number, end: number) =>
      (await read(query(start, end))).series[0]?.data[0].responseTime_sum ?? null
    expect(await sum(from, from + 2 * hourMs)).toBe(105 + 104)
    expect(await sum(from + 1, from + 2 * hourMs + 1)).toBe(104 + 103)
    expect(await sum(from + 1, from + 2)).toBeNull()
  })

  test('intervals are pages of points, oldest first, those without a result too', async () => {
    const query = 'metrics=responseTime_avg,availability&aggregationInterval=60&quickRange=last24Hours'
    const page = async (number: number) => (await read(`${query}&limit=20&page=${number}`)).series
    const [first] = await page(1)
    expect(first.data).toHaveLength(20)
    expect(first.data[0]).toEqual({
      startedAt: new Date(now - dayMs).toISOString(),
      responseTime_avg: 124,
      availability: 100,
    })
    const [second] = await page(2)
    expect(second.data).toHaveLength(4)
    expect(second.data.at(-1)).toMatchObject({ responseTime_avg: 101, availability: 0 })
    expect(await page(3)).toEqual([])
  })

  test('intervals of days and of minutes add up the same results', async () => {
    const range = `from=${now - 2 * dayMs}&to=${now}`
    const total = async (interval: number, limit: number, pages: number) => {
      let sum = 0
      for (let page = 1; page <= pages; page += 1) {
        const query = `metrics=responseTime_sum&${range}&aggregationInterval=${interval}&limit=${limit}&page=${page}`
        for (const { data } of (await read(query)).series) {
          for (const point of data) sum += point.responseTime_sum ?? 0
        }
      }
      return sum
    }
    const expected = Array.from({ length: 48 }, (_, index) => 101 + index).reduce((a, b) => a + b, 0)
    expect(await total(1440, 10, 1)).toBe(expected)
    expect(await total(90, 40, 1)).toBe(expected)
    expect(await total(45, 40, 2)).toBe(expected)
  })

  test('groups have a series each', async () => {
    const byLocation = (await read('metrics=availability&groupBy=runLocation')).series
    expect(byLocation).toEqual([
      { runLocation: 'eu-west-1', data: [{ availability: 100 }] },
      { runLocation: 'us-east-1', data: [{ availability: 0 }] },
    ])
    const byStatus = (await read('metrics=retries&groupBy=statusCode')).series
    expect(byStatus).toEqual([
      { statusCode: 200, data: [{ retries: 0 }] },
      { statusCode: 500, data: [{ retries: 2 }] },
      { statusCode: null, data: [{ retries: 0 }] },
    ])
  })

  test('a filter leaves the results of one status', async () => {
    const sum = async (status: string) =>
      (await read(`metrics=responseTime_sum&filterByStatus=${status}`)).series[0].data[0].responseTime_sum
    expect(await sum('failure')).toBe(203)
    expect(await sum('success')).toBe(2700 - 203)
    expect(await sum('failure,success')).toBe(2700)
  })

  test('metrics without an aggregation are those of single results, oldest first, in pages', async () => {
    const query = 'metrics=responseTime&metrics=availability&quickRange=last24Hours&limit=24'
    const [{ data }] = (await read(query)).series
    expect(data).toHaveLength(24)
    expect(data[0]).toEqual({
      startedAt: new Date(now - 24 * hourMs + 30 * minuteMs).toISOString(),
      responseTime: 124,
      availability: 100,
    })
    const [{ data: last }] = (await read(`${query}&page=2`)).series
    expect(last).toEqual([
      { startedAt: new Date(now - minuteMs).toISOString(), responseTime: null, availability: null },
    ])
    const failures = (await read(`${query}&filterByStatus=failure&groupBy=runLocation`)).series
    expect(failures).toMatchObject([{ runLocation: 'us-east-1', data: [{}, {}] }])
  })

  test('lists are taken as clients send them', async () => {
    const keys = async (query: string) => Object.keys((await read(query)).metadata)
    expect(await keys('metrics=dns_p99,availability')).toEqual(['dns_p99', 'availability'])
    expect(await keys('metrics=dns_p99&metrics=availability')).toEqual(['dns_p99', 'availability'])
    expect(await keys('metrics%5B%5D=dns_p99&metrics%5B%5D=availability')).toEqual([
      'dns_p99',
      'availability',
    ])
  })

  test.each([
    ['metrics=speed', 'metrics', '"metrics" must be one of [responseTime, '],
    ['', 'metrics', '"metrics" must be one of ['],
    ['metrics=responseTime,dns_avg', 'metrics', 'not both'],
    ['metrics=dns_avg&filterByStatus=maybe', 'filterByStatus', 'one of [success, failure]'],
    ['metrics=dns_avg&groupBy=pageIndex', 'groupBy', 'one of [runLocation, statusCode]'],
    ['metrics=dns_avg&quickRange=ever', 'quickRange', 'last24Hours'],
    ['metrics=dns_avg&aggregationInterval=0', 'aggregationInterval', '1'],
    ['metrics=dns_avg&from=soon', 'from', 'UNIX timestamp'],
    ['metrics=dns_avg&from=2026-03-02&to=2026-03-01', 'from', 'must not be after'],
    ['metrics=dns_avg&limit=101', 'limit', '100'],
  ])('?%s is refused by naming "%s"', async (query, key, text) => {
    const answer = await get(query)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().validation).toEqual({ source: 'query', keys: [key] })
    expect(answer.json().message).toContain(text)
  })
})

const paths = {
  API: ['api-checks', 'responseTime_p95'],
  BROWSER: ['browser-checks', 'LCP_avg'],
  DNS: ['dns', 'total_avg'],
  HEARTBEAT: ['heartbeat-checks', 'availability'],
  ICMP: ['icmp', 'packetLoss_avg'],
  MULTI_STEP: ['multistep-checks', 'responseTime_avg'],
  PLAYWRIGHT: ['playwright-checks', 'LCP_avg'],
  TCP: ['tcp-checks', 'connection_p99'],
  URL: ['url-monitors', 'tcp_avg'],
} as const

test.each(Object.entries(paths))(
  'a %s check without results has an empty series',
  async (type, [path, metric]) => {
    const { accountId, database } = service
    const { id } = await addCheck(database, accountId, { type, definition })
    const answer = await get(`metrics=${metric}`, path, id)
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()).toMatchObject({ checkType: type, muted: true, frequency: 5, series: [] })
    expect(answer.json().metadata[metric].label).not.toBe('')
    if (contractIsHere) {
      expect(faultsOf('GET', `/v1/analytics/${path}/{id}`, answer.json())).toEqual([])
    }
    const other = type === 'API' ? 'url-monitors' : 'api-checks'
    expect((await get(`metrics=${metric}`, other, id)).statusCode).toBe(404)
  },
)

test('the metrics of a type are those that the contract lists, and times of heartbeats that are run', async () => {
  const list = (await service.api('GET', '/v1/analytics/metrics?checkType=API')).json()
  expect(list).toHaveLength(68)
  expect(list).toEqual(expect.arrayContaining(['wait', 'availability', 'retries', 'download_stddev']))
  const ofHeartbeats = (await service.api('GET', '/v1/analytics/metrics?checkType=HEARTBEAT')).json()
  expect(ofHeartbeats.slice(0, 2)).toEqual(['availability', 'retries'])
  expect(ofHeartbeats.slice(2).every((name: string) => name.startsWith('responseTime_'))).toBe(true)
  expect((await service.api('GET', '/v1/analytics/metrics')).statusCode).toBe(400)
})

test('an answer with figures is of the shape of the contract, but for the series, which it calls texts', async () => {
  if (!contractIsHere) return
  const { series, ...answer } = await read('metrics=availability,dns_avg&groupBy=runLocation')
  expect(series).toHaveLength(2)
  const faults = faultsOf('GET', '/v1/analytics/api-checks/{id}', { ...answer, series: [] })
  expect(faults).toEqual([])
})

test('what an agent reports is measured as it is stored', async () => {
  const own = await startTestService()
  const { id } = (await own.api('POST', '/v1/checks/api', apiCheckBody())).json()
  const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
  const locations = new LocationWatch({ db: own.database.kysely, logger, startedAt: own.clock.now() })
  own.clock.advance(10_000)
  await schedulerTurn({ ...own, locations })
  const claim = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }
  const [run] = (await own.agent('claims', claim)).json().runs
  await own.agent('results', { agentId, results: [passingResult(run, own.clock.now())] })
  own.clock.advance(1000)
  const query = 'metrics=availability,responseTime_max,wait_max,dns_max,tcp_max&groupBy=statusCode'
  const answer = await own.api('GET', `/v1/analytics/api-checks/${id}?${query}`)
  const point = { availability: 100, responseTime_max: 12.5, wait_max: 0.3, dns_max: null, tcp_max: 0.5 }
  expect(answer.json().series).toEqual([{ statusCode: 200, data: [point] }])
  await own.close()
})

describe('the summary of many checks', () => {
  const ask = (checkIds: readonly string[], query = '') =>
    service.api('POST', `/v1/analytics/checks${query}`, { checkIds })

  test('has for each of the own ones what applies to its type, null where there is no result', async () => {
    const { accountId, database } = service
    const { id: icmp } = await addCheck(database, accountId, { type: 'ICMP', definition })
    const { id: heartbeat } = await addCheck(database, accountId, { type: 'HEARTBEAT', definition })
    const answer = await ask([icmp, checkId, heartbeat, checkId, '00000000-0000-4000-8000-000000000000'])
    expect(answer.statusCode).toBe(200)
    const [first, second, third, ...others] = answer.json()
    expect(others).toEqual([])
    expect(first).toEqual({
      checkId: icmp,
      checkType: 'ICMP',
      availability: null,
      latency_avg: null,
      latency_p50: null,
      latency_p95: null,
      latency_p99: null,
      packetLoss_avg: null,
      packetLoss_p95: null,
      packetLoss_p99: null,
    })
    expect(second).toMatchObject({ checkId, availability: 91.6667, responseTime_avg: 112.5 })
    expect(third).toEqual({ checkId: heartbeat, checkType: 'HEARTBEAT', availability: null })
    if (contractIsHere) expect(faultsOf('POST', '/v1/analytics/checks', answer.json())).toEqual([])
  })

  test('is refused for none and for more than a hundred', async () => {
    expect((await ask([])).statusCode).toBe(400)
    expect((await ask(Array.from({ length: 101 }, () => checkId))).statusCode).toBe(400)
    expect((await ask([checkId], '?quickRange=last30Days')).statusCode).toBe(400)
  })
})

test('another account sees nothing of it: 404 for the check, and no summary', async () => {
  const { apiKey } = await service.addAccount()
  const headers = { authorization: `Bearer ${apiKey}` }
  const url = `/v1/analytics/api-checks/${checkId}?metrics=availability`
  expect((await service.app.inject({ method: 'GET', url, headers })).statusCode).toBe(404)
  const summary = {
    method: 'POST',
    url: '/v1/analytics/checks',
    headers,
    payload: { checkIds: [checkId] },
  } as const
  expect((await service.app.inject(summary)).json()).toEqual([])
  expect((await service.app.inject({ method: 'GET', url: '/v1/reporting', headers })).json()).toEqual([])
})

describe('the report', () => {
  const report = async (query = '') => {
    const answer = await service.api('GET', `/v1/reporting${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    if (contractIsHere) expect(faultsOf('GET', '/v1/reporting', answer.json())).toEqual([])
    return answer.json()
  }

  test('has every check, with figures where there are results', async () => {
    const entries = await report()
    const own = entries.find((entry: { checkId: string }) => entry.checkId === checkId)
    expect(own).toMatchObject({
      name: 'a check',
      checkType: 'API',
      deactivated: false,
      tags: ['shop'],
      aggregate: { successRatio: 91.6667, avg: 112.5 },
    })
    expect(own.aggregate.p95).toBeGreaterThan(119)
    const others = entries.filter((entry: { checkId: string }) => entry.checkId !== checkId)
    for (const other of others) expect(other).not.toHaveProperty('aggregate')
  })

  test('takes a range, tags and whether checks are deactivated', async () => {
    const off = apiCheckBody({ name: 'off', activated: false, tags: ['old', 'shop'] })
    await service.api('POST', '/v1/checks/api', off)
    const names = async (query: string) => (await report(query)).map(({ name }: { name: string }) => name)
    expect(await names('?filterByTags=old')).toEqual(['off'])
    expect(await names('?filterByTags[]=old&filterByTags[]=none')).toEqual(['off'])
    expect(await names('?filterByTags=shop&deactivated=false')).toEqual(['a check'])
    expect(await names('?deactivated=true')).toEqual(['off'])
    const from = now - 2 * dayMs
    const [entry] = await report(`?filterByTags=shop&deactivated=false&from=${from}&to=${from + dayMs}`)
    expect(entry.aggregate).toMatchObject({ successRatio: 100, avg: 136.5 })
    expect((await service.api('GET', '/v1/reporting?quickRange=ever')).statusCode).toBe(400)
    expect((await report('?quickRange=lastMonth')).length).toBeGreaterThan(0)
  })
})
