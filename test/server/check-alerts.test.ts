import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkAlertRow, notificationRow } from '../support/alert-rows.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { contractFaults, contractIsHere } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const hourMs = 3_600_000
let service: TestService
let now: number
let checks: string[]

beforeEach(async () => {
  service = await startTestService()
  now = service.clock.now()
  checks = []
  for (const name of ['a', 'b'])
    checks.push((await service.api('POST', '/v1/checks/api', apiCheckBody({ name }))).json().id)
})
afterEach(() => service.close())

/** Of the nth check, so many hours ago. */
async function alert(check: number, hoursAgo: number, changes: object = {}) {
  const row = checkAlertRow(service.accountId, checks[check] ?? '', {
    createdAt: now - hoursAgo * hourMs,
    ...changes,
  })
  await service.database.kysely.insertInto('checkAlerts').values(row).execute()
  return row
}
async function notification(hoursAgo: number, changes: object = {}) {
  const row = notificationRow(await alert(0, hoursAgo), changes)
  await service.database.kysely.insertInto('alertNotifications').values(row).execute()
  return row
}
const idsOf = async (url: string) =>
  (await service.api('GET', url)).json().map(({ id }: { id: string }) => id)

describe.each(['/v1/check-alerts', '/v1/check-alerts/:check'])('GET %s', (route) => {
  const url = () => route.replace(':check', checks[0] ?? '')

  test('tells an alert in full', async () => {
    const { id } = await alert(0, 1, { error: 'refused', startedAt: now - 2 * hourMs })
    const answer = await service.api('GET', url())
    expect(answer.json()).toEqual([
      {
        id,
        name: 'Shop',
        checkId: checks[0],
        alertType: 'ALERT_FAILURE',
        checkType: 'API',
        runLocation: 'eu-west-1',
        responseTime: 12.5,
        error: 'refused',
        statusCode: '500',
        created_at: '2026-03-01T11:00:00.000Z',
        startedAt: '2026-03-01T10:00:00.000Z',
      },
    ])
    if (contractIsHere)
      expect(contractFaults('GET', route.replace(':check', '{checkId}'), 200, answer.json())).toEqual([])
  })

  test('is of the last six hours, or of six hours from the end that is given', async () => {
    const recent = await alert(0, 0)
    const old = await alert(0, 6, { id: 'six hours old' })
    const older = await alert(0, 6.1)
    expect(await idsOf(url())).toEqual([recent.id])
    const at = (hoursAgo: number) => String(now - hoursAgo * hourMs)
    expect(await idsOf(`${url()}?to=${at(0)}`)).toEqual([old.id])
    expect(await idsOf(`${url()}?from=${at(6.1)}`)).toEqual([old.id, older.id])
    expect(await idsOf(`${url()}?from=${at(7)}&to=${String(now / 1000 + 1)}`)).toEqual([
      recent.id,
      old.id,
      older.id,
    ])
    expect(await idsOf(`${url()}?from=2026-03-01T00:00:00Z&to=2026-03-01T06:00:00Z`)).toEqual([older.id])
  })

  test('is paged, newest first', async () => {
    const rows = [await alert(0, 3), await alert(0, 2), await alert(0, 1)]
    const answer = await service.api('GET', `${url()}?limit=2&page=2`)
    expect(answer.json()).toMatchObject([{ id: rows[0]?.id }])
    expect(answer.headers['content-range']).toBe('2-2/3')
  })

  test('refuses a window that is none', async () => {
    for (const [query, message] of [
      ['from=soon', '"from" must be a UNIX timestamp or an ISO 8601 date'],
      ['to=2026-13-01', '"to" must be a UNIX timestamp or an ISO 8601 date'],
      ['from=2026-03-02&to=2026-03-01', '"from" must not be after "to"'],
    ]) {
      const answer = await service.api('GET', `${url()}?${query}`)
      expect([answer.statusCode, answer.json().message]).toEqual([400, message])
    }
  })
})

describe('alerts', () => {
  test('of one check are its own, of the account all', async () => {
    const [first, second] = [await alert(0, 2), await alert(1, 1)]
    expect(await idsOf('/v1/check-alerts')).toEqual([second.id, first.id])
    expect(await idsOf(`/v1/check-alerts/${checks[0]}`)).toEqual([first.id])
    await service.api('DELETE', `/v1/checks/${checks[0]}`)
    expect(await idsOf('/v1/check-alerts')).toEqual([second.id])
  })

  test('and notifications of another account are not told', async () => {
    await notification(1)
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const url of ['/v1/check-alerts', '/v1/alert-notifications'])
      expect((await service.app.inject({ url, headers })).json()).toEqual([])
    expect((await service.app.inject({ url: `/v1/check-alerts/${checks[0]}`, headers })).statusCode).toBe(404)
  })
})

describe('GET /v1/alert-notifications', () => {
  const url = '/v1/alert-notifications'

  test('tells a notification in full, without the credential that it was sent with', async () => {
    const row = await notification(1)
    await notification(2, { status: 'IN_PROGRESS', result: null, sentAt: null, checkResultId: null })
    const answer = await service.api('GET', url)
    const [told, waiting] = answer.json()
    expect(told).toEqual({
      id: row.id,
      type: 'WEBHOOK',
      status: 'SUCCESS',
      alertConfig: { name: 'hook', url: 'https://a.example', webhookSecret: '' },
      notificationResult: '204',
      timestamp: '2026-03-01T11:00:00.500Z',
      checkType: 'API',
      checkId: checks[0],
      checkAlertId: row.checkAlertId,
      alertChannelId: 1,
      checkResultId: row.checkResultId,
    })
    expect(waiting).toMatchObject({ status: 'IN_PROGRESS', notificationResult: null, timestamp: null })
    if (contractIsHere) expect(contractFaults('GET', url, 200, answer.json())).toEqual([])
  })

  test('is of the last 24 hours, paged, newest first', async () => {
    const rows = [await notification(24.1), await notification(23), await notification(1)]
    expect(await idsOf(url)).toEqual([rows[2]?.id, rows[1]?.id])
    expect(await idsOf(`${url}?from=${now - 25 * hourMs}`)).toEqual([rows[1]?.id, rows[0]?.id])
    const answer = await service.api('GET', `${url}?limit=1&page=2`)
    expect(answer.json()).toMatchObject([{ id: rows[1]?.id }])
    expect(answer.headers['content-range']).toBe('1-1/2')
  })

  test('is of one channel, or of what did not get through', async () => {
    const sent = await notification(1)
    const failed = await notification(2, { status: 'FAILURE', channelId: 2 })
    const limited = await notification(3, { status: 'RATE_LIMITED' })
    expect(await idsOf(`${url}?alertChannelId=2`)).toEqual([failed.id])
    expect(await idsOf(`${url}?hasFailures=true`)).toEqual([failed.id, limited.id])
    expect(await idsOf(`${url}?hasFailures=false`)).toEqual([sent.id])
    expect(await idsOf(`${url}?hasFailures=true&alertChannelId=1`)).toEqual([limited.id])
    const refused = await service.api('GET', `${url}?alertChannelId=0`)
    expect([refused.statusCode, refused.json().validation.source]).toEqual([400, 'query'])
  })
})
