import { describe, expect, test } from 'vitest'
import { effectiveApiCheck, locationsOf } from '../../src/rules/effective-check.ts'
import { checkSettings, groupSettings } from '../support/stored-settings.ts'

const header = (key: string, value: string) => ({ key, value, locked: false })
const variable = (key: string, value: string) => ({ key, value, locked: false, secret: false })

test('a check without a group is as it was sent', () => {
  const check = checkSettings()
  expect(effectiveApiCheck(check, null)).toBe(check)
})

test('a group of the second kind that says nothing leaves its checks as they are', () => {
  const check = checkSettings({
    runParallel: true,
    doubleCheck: true,
    runtimeId: '2025.04',
    useGlobalAlertSettings: false,
    retryStrategy: { type: 'LINEAR' },
    request: { url: 'http://a.example/', basicAuth: { username: 'u', password: 'p' } },
  })
  expect(effectiveApiCheck(check, groupSettings(2))).toEqual({ ...check, environmentVariables: [] })
})

test('a group of the first kind goes over its checks in everything but the strategy it does not have', () => {
  const check = checkSettings({
    runParallel: true,
    doubleCheck: true,
    useGlobalAlertSettings: false,
    alertSettings: { runBasedEscalation: { failedRunThreshold: 5 } },
    retryStrategy: { type: 'LINEAR' },
  })
  const group = groupSettings(1, { doubleCheck: false })
  const effective = effectiveApiCheck(check, group)
  expect(effective).toMatchObject({ runParallel: false, doubleCheck: false, useGlobalAlertSettings: true })
  expect(effective.alertSettings).toEqual(group.alertSettings)
  expect(effective.retryStrategy).toEqual(check.retryStrategy)
})

describe.each([1, 2] as const)('in a group of kind %i', (version) => {
  const group = (overrides: Record<string, unknown>) => groupSettings(version, overrides)

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('a check that is activated: %s in a group that is: %s, is: %s', (own, ofGroup, activated) => {
    const check = checkSettings({ activated: own })
    expect(effectiveApiCheck(check, group({ activated: ofGroup })).activated).toBe(activated)
  })

  test.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])('a check that is muted: %s in a group that is: %s, is: %s', (own, ofGroup, muted) => {
    expect(effectiveApiCheck(checkSettings({ muted: own }), group({ muted: ofGroup })).muted).toBe(muted)
  })

  test.each<[string, Record<string, unknown>, string[]]>([
    ['none', {}, ['eu-west-1', 'office']],
    ['empty lists', { locations: [], privateLocations: null }, ['eu-west-1', 'office']],
    ['data centers', { locations: ['us-east-1'] }, ['us-east-1']],
    ['private ones', { privateLocations: ['depot'] }, ['depot']],
    ['both', { locations: ['us-east-1'], privateLocations: ['depot'] }, ['us-east-1', 'depot']],
  ])("locations of the group are in the place of the check's own: %s", (_name, placed, expected) => {
    const check = checkSettings({ privateLocations: ['office'] })
    expect(locationsOf(effectiveApiCheck(check, group(placed)))).toEqual(expected)
  })

  test("headers and query parameters of the group come under the check's own", () => {
    const check = checkSettings({
      request: {
        url: 'http://a.example/',
        headers: [header('X-Team', 'shop')],
        queryParameters: [header('a', '1')],
      },
    })
    const defaults = {
      headers: [header('x-team', 'all'), header('Accept', 'text/plain')],
      queryParameters: [header('A', '2'), header('a', '3')],
    }
    const { request } = effectiveApiCheck(check, group({ apiCheckDefaults: defaults }))
    expect(request.headers).toEqual([header('X-Team', 'shop'), header('Accept', 'text/plain')])
    expect(request.queryParameters).toEqual([header('a', '1'), header('A', '2')])
  })

  test("assertions of the group are added behind the check's own", () => {
    const status = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }
    const time = { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '100' }
    const check = checkSettings({ request: { url: 'http://a.example/', assertions: [status] } })
    const { request } = effectiveApiCheck(check, group({ apiCheckDefaults: { assertions: [time] } }))
    expect(request.assertions).toMatchObject([status, time])
  })

  test.each([
    [undefined, 'group'],
    [null, 'group'],
    [{ username: '', password: '' }, 'group'],
    [{ username: 'own', password: '' }, 'own'],
  ])('basic auth of the group is a default: with %j the check signs in as %s', (own, username) => {
    const check = checkSettings({ request: { url: 'http://a.example/', basicAuth: own } })
    const defaults = { basicAuth: { username: 'group', password: 'p' } }
    expect(effectiveApiCheck(check, group({ apiCheckDefaults: defaults })).request.basicAuth?.username).toBe(
      username,
    )
  })

  test("variables of the check go over the group's, and the base URL of the group is one", () => {
    const check = checkSettings({ environmentVariables: [variable('A', 'check')] })
    const { environmentVariables } = effectiveApiCheck(
      check,
      group({
        environmentVariables: [variable('A', 'group'), variable('B', 'group')],
        apiCheckDefaults: { url: 'https://shop.example' },
      }),
    )
    expect(environmentVariables).toEqual([
      variable('A', 'check'),
      variable('B', 'group'),
      variable('GROUP_BASE_URL', 'https://shop.example'),
    ])
  })

  test.each<[unknown, unknown]>([
    ['FALLBACK', 'LINEAR'],
    [{ type: 'FIXED' }, 'FIXED'],
    [null, undefined],
  ])('with the strategy %j a check that retries LINEAR retries %s', (retryStrategy, type) => {
    const check = checkSettings({ retryStrategy: { type: 'LINEAR' } })
    expect(effectiveApiCheck(check, group({ retryStrategy })).retryStrategy?.type).toBe(type)
  })

  test("its runtime goes over the check's", () => {
    const check = checkSettings({ runtimeId: '2025.04' })
    expect(effectiveApiCheck(check, group({ runtimeId: '2026.04' })).runtimeId).toBe('2026.04')
    expect(effectiveApiCheck(check, group({})).runtimeId).toBe('2025.04')
  })
})
