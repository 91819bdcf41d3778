import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FinalResult, foldStatus, type Status } from '../../src/rules/status.ts'

type Judged = Extract<FinalResult, { kind: 'judged' }>

const slot = (dueAt: number, location = 'eu-west-1') => ({
  runId: `run ${location} ${dueAt}`,
  resultId: `result ${location} ${dueAt}`,
  location,
  dueAt,
  runParallel: false,
  locations: ['eu-west-1', 'us-east-1'],
})

const judged = (dueAt: number, state: Judged['state'], fields: Partial<Judged> = {}): Judged => ({
  ...slot(dueAt, fields.location),
  kind: 'judged',
  state,
  responseTimeMs: 100,
  sslDaysRemaining: null,
  ...fields,
})
const errored = (dueAt: number, location?: string): FinalResult => ({
  ...slot(dueAt, location),
  kind: 'errored',
})
const missed = (dueAt: number): FinalResult => ({ ...slot(dueAt), kind: 'missed' })
const parallel = (result: FinalResult): FinalResult => ({ ...result, runParallel: true })

const us = { location: 'us-east-1' }

function fold(...results: readonly FinalResult[]): Status {
  const status = results.reduce<Status | null>(foldStatus, null)
  if (status === null) throw new Error('there is nothing to fold')
  return status
}

/** What GET /v1/check-statuses shows of it. */
function shown(status: Status) {
  const { latest: _latest, certificateOf: _certificateOf, perLocation: _perLocation, ...rest } = status
  return rest
}

test('shows the first run', () => {
  expect(shown(fold(judged(10, 'degraded', { responseTimeMs: 812.4, sslDaysRemaining: 30 })))).toEqual({
    hasFailures: false,
    hasErrors: false,
    isDegraded: true,
    longestRun: 812.4,
    shortestRun: 812.4,
    lastRunLocation: 'eu-west-1',
    lastCheckRunId: 'run eu-west-1 10',
    sslDaysRemaining: 30,
  })
})

test('survives being stored between two results', () => {
  const results = [judged(10, 'failing'), parallel(judged(20, 'passing', us)), errored(30)]
  const stored = results.reduce<Status | null>(
    (status, result) => foldStatus(JSON.parse(JSON.stringify(status)), result),
    null,
  )
  expect(stored).toEqual(fold(...results))
})

describe('in a round robin', () => {
  test('the newest result decides, wherever it ran', () => {
    expect(fold(judged(10, 'failing'), judged(20, 'passing', us))).toMatchObject({ hasFailures: false })
    expect(fold(judged(10, 'degraded'), judged(20, 'failing', us))).toMatchObject({
      hasFailures: true,
      isDegraded: false,
    })
    expect(fold(judged(10, 'failing'), judged(20, 'degraded', us))).toMatchObject({
      hasFailures: false,
      isDegraded: true,
    })
  })

  test('a result that comes late moves no flag', () => {
    const status = fold(judged(20, 'passing'), judged(10, 'failing'), judged(15, 'degraded', us))
    expect(status).toMatchObject({
      hasFailures: false,
      isDegraded: false,
      lastRunLocation: 'eu-west-1',
      lastCheckRunId: 'run eu-west-1 20',
    })
  })
})

describe('in parallel runs', () => {
  test('one failing location is enough, until that location passes', () => {
    const start = [parallel(judged(10, 'failing')), parallel(judged(10, 'passing', us))]
    expect(fold(...start)).toMatchObject({ hasFailures: true })
    expect(fold(...start, parallel(judged(20, 'passing', us)))).toMatchObject({ hasFailures: true })
    expect(fold(...start, parallel(judged(20, 'passing')))).toMatchObject({ hasFailures: false })
  })

  test('one may fail while another is degraded', () => {
    const status = fold(parallel(judged(10, 'failing')), parallel(judged(10, 'degraded', us)))
    expect(status).toMatchObject({ hasFailures: true, isDegraded: true })
  })

  test('a result that comes late moves no flag of its location', () => {
    const status = fold(parallel(judged(20, 'passing')), parallel(judged(10, 'failing')))
    expect(status).toMatchObject({ hasFailures: false })
  })

  test('a location that the check no longer uses falls out', () => {
    const moved = { runParallel: true, locations: ['us-east-1'], ...us }
    const status = fold(parallel(judged(10, 'failing')), parallel(errored(10)), judged(20, 'passing', moved))
    expect(status).toMatchObject({ hasFailures: false, hasErrors: false })
  })

  test('an errored location errs until it is judged again', () => {
    const start = [parallel(judged(10, 'passing', us)), parallel(errored(10))]
    expect(fold(...start, parallel(judged(20, 'passing', us)))).toMatchObject({ hasErrors: true })
    expect(fold(...start, parallel(judged(20, 'passing')))).toMatchObject({ hasErrors: false })
  })
})

describe('an errored run', () => {
  test.each(['passing', 'degraded', 'failing'] as const)(
    'says nothing about a target that is %s',
    (state) => {
      const before = fold(judged(10, state))
      expect(shown(foldStatus(before, errored(20)))).toEqual({
        ...shown(before),
        hasErrors: true,
        lastCheckRunId: 'run eu-west-1 20',
      })
    },
  )

  test('is over with the next judged one', () => {
    expect(fold(errored(10), judged(20, 'failing', us))).toMatchObject({
      hasErrors: false,
      hasFailures: true,
    })
  })

  test('changes nothing when it comes late', () => {
    const before = fold(judged(20, 'passing'))
    expect(shown(foldStatus(before, errored(10)))).toEqual(shown(before))
  })
})

test('a missed run changes nothing', () => {
  const before = fold(judged(10, 'failing'), errored(20))
  expect(foldStatus(before, missed(30))).toEqual(before)
  expect(shown(foldStatus(null, missed(30)))).toMatchObject({ hasErrors: false, lastCheckRunId: null })
})

describe('the longest and the shortest run', () => {
  test('are the longest and shortest ever, late results too', () => {
    const times = [
      judged(20, 'passing', { responseTimeMs: 50 }),
      judged(10, 'failing', { responseTimeMs: 900 }),
    ]
    expect(fold(...times, judged(5, 'passing', { responseTimeMs: 7 }))).toMatchObject({
      longestRun: 900,
      shortestRun: 7,
    })
  })

  test('leave out what gave no response', () => {
    const nothing = judged(10, 'failing', { responseTimeMs: null })
    expect(fold(nothing)).toMatchObject({ longestRun: null, shortestRun: null })
    expect(fold(nothing, judged(20, 'passing', { responseTimeMs: 0 }))).toMatchObject({
      longestRun: 0,
      shortestRun: 0,
    })
  })
})

describe('the days until the certificate expires', () => {
  const known = judged(10, 'passing', { sslDaysRemaining: 30 })

  test('are those of the newest result', () => {
    expect(fold(known, judged(20, 'passing', { sslDaysRemaining: 29 })).sslDaysRemaining).toBe(29)
    expect(fold(known, judged(5, 'passing', { sslDaysRemaining: 31 })).sslDaysRemaining).toBe(30)
  })

  test('stay while the target cannot be reached', () => {
    const refused = judged(20, 'failing', { responseTimeMs: null })
    expect(fold(known, refused, errored(30)).sslDaysRemaining).toBe(30)
  })

  test('are told by a handshake that failed over the certificate', () => {
    const expired = judged(20, 'failing', { responseTimeMs: null, sslDaysRemaining: -1 })
    expect(fold(known, expired).sslDaysRemaining).toBe(-1)
  })

  test('are gone when the target no longer has one', () => {
    expect(fold(known, judged(20, 'passing')).sslDaysRemaining).toBeNull()
  })
})

describe('whatever the order', () => {
  const places = ['eu-west-1', 'us-east-1', 'constructor']
  const anySlot = fc.record({
    resultId: fc.uuid(),
    dueAt: fc.integer({ min: 1, max: 6 }),
    location: fc.constantFrom(...places),
    runParallel: fc.boolean(),
    locations: fc.subarray(places),
  })
  const anyEnd = fc.oneof(
    fc.record({
      kind: fc.constant('judged' as const),
      state: fc.constantFrom('passing' as const, 'degraded' as const, 'failing' as const),
      responseTimeMs: fc.option(fc.integer({ min: 0, max: 30_000 })),
      sslDaysRemaining: fc.option(fc.integer({ min: -10, max: 90 })),
    }),
    fc.record({ kind: fc.constant('errored' as const) }),
    fc.record({ kind: fc.constant('missed' as const) }),
  )
  const anyResults = fc.uniqueArray(
    fc
      .tuple(anySlot, anyEnd)
      .map(([at, end]): FinalResult => ({ ...slot(at.dueAt, at.location), ...at, ...end })),
    { minLength: 1, maxLength: 12, selector: ({ resultId }) => resultId },
  )
  const anyTwoOrders = anyResults.chain((results) =>
    fc.tuple(
      fc.constant(results),
      fc.shuffledSubarray(results, { minLength: results.length, maxLength: results.length }),
    ),
  )

  test('the same results give the same status', () => {
    fc.assert(
      fc.property(anyTwoOrders, ([results, shuffled]) => {
        expect(shown(fold(...shuffled))).toEqual(shown(fold(...results)))
      }),
      { numRuns: 500 },
    )
  })

  test('a result that comes again changes nothing', () => {
    fc.assert(
      fc.property(anyResults, fc.nat(), (results, index) => {
        const again = results.slice(index % results.length, (index % results.length) + 1)
        expect(shown(fold(...results, ...again))).toEqual(shown(fold(...results)))
      }),
    )
  })
})
