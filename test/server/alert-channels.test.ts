import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { channelConfigs, expectConforming, makeChannel } from '../support/alert-channels.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/alert-channels'
const one = '/v1/alert-channels/{id}'
const nobody = '00000000-0000-4000-8000-000000000000'

const read = async (id: number) => (await service.api('GET', `${url}/${id}`)).json()

describe('a channel', () => {
  const credentials = ['serviceKey', 'apiKey']

  test.each(Object.entries(channelConfigs))('%s comes back as it was sent', async (type, config) => {
    const created = await service.api('POST', url, { type, config })
    // The contract does not know the type SLACK_APP.
    if (type === 'SLACK_APP') expect(created.statusCode, created.body).toBe(201)
    else expectConforming(created, 'POST', url, 201)
    const told = Object.fromEntries(
      Object.entries(config).map(([key, value]) => [key, credentials.includes(key) ? '' : value]),
    )
    expect(created.json()).toEqual({
      id: 1,
      type,
      config: told,
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      autoSubscribe: false,
      subscriptions: [],
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    })
    expect(await read(1)).toEqual(created.json())
    service.clock.advance(1000)
    const sentBack = await service.api('PUT', `${url}/1`, created.json())
    expect(sentBack.json()).toEqual({ ...created.json(), updated_at: '2026-03-01T12:00:01.000Z' })
  })

  test('an update replaces it: what is left out takes its default', async () => {
    const settings = {
      sendRecovery: false,
      sendFailure: false,
      sendDegraded: true,
      sslExpiry: true,
      sslExpiryThreshold: 3,
      autoSubscribe: true,
    }
    const made = await makeChannel(service, settings)
    expect(made).toMatchObject(settings)
    const answer = await service.api('PUT', `${url}/1`, {
      type: 'SMS',
      config: { number: '+1 (555) 010-99' },
    })
    expectConforming(answer, 'PUT', one, 200)
    expect(answer.json()).toMatchObject({
      type: 'SMS',
      config: { name: '', number: '+1 (555) 010-99' },
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      autoSubscribe: false,
    })
  })

  test('the defaults of a webhook are filled; nulls, empty ids and unknown keys are taken', async () => {
    const config = { url: 'https://{{HOST}}/h', headers: null, webhookSecret: null, extra: 1 }
    const made = await makeChannel(service, { id: '', type: 'WEBHOOK', config, subscriptions: null })
    expect(made.config).toEqual({
      name: '',
      url: 'https://{{HOST}}/h',
      method: 'POST',
      headers: [],
      queryParameters: [],
      webhookSecret: null,
    })
  })

  test('the list is paged, newest first', async () => {
    for (let at = 0; at < 3; at += 1) {
      await makeChannel(service)
      service.clock.advance(1000)
    }
    const answer = await service.api('GET', `${url}?limit=2&page=1`)
    expectConforming(answer, 'GET', url, 200)
    expect(answer.headers['content-range']).toBe('0-1/3')
    expect(answer.json().map(({ id }: { id: number }) => id)).toEqual([3, 2])
    const beyond = await service.api('GET', `${url}?limit=2&page=3`)
    expect([beyond.json(), beyond.headers['content-range']]).toEqual([[], '*/3'])
  })

  test('an account has at most 1000 of them', async () => {
    const { id } = await makeChannel(service)
    const row = await service.database.kysely.selectFrom('documents').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: 999 }, (_, index) => ({ ...row, id: `copy-${index}` }))
    for (const half of [rows.slice(0, 500), rows.slice(500)])
      await service.database.kysely.insertInto('documents').values(half).execute()
    const body = { type: 'EMAIL', config: channelConfigs['EMAIL'] }
    const refused = await service.api('POST', url, body)
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      'There are at most 1000 of this kind (alert channel): delete one first',
    ])
    await service.api('DELETE', `${url}/${id}`)
    expect((await service.api('POST', url, body)).statusCode).toBe(201)
  })

  test.each([
    [{ type: 'FAX', config: {} }, 'type', '"type" must be one of ["EMAIL", "SLACK"'],
    [{ config: {} }, 'type', '"type" must be one of'],
    [{ type: 'EMAIL' }, 'config', '"config" is required'],
    [{ type: 'EMAIL', config: { address: 'nobody' } }, 'config.address', '"config.address" must match'],
    [{ type: 'SLACK', config: { url: 'hooks.slack.com' } }, 'config.url', 'starts with http:// or https://'],
    [
      { type: 'WEBHOOK', config: { url: 'ftp://a.example' } },
      'config.url',
      'starts with http:// or https://',
    ],
    [
      { type: 'WEBHOOK', config: { url: 'https://a.example', method: 'get' } },
      'config.method',
      'must be one of ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"], was "get"',
    ],
    [{ type: 'SMS', config: { number: 'mine' } }, 'config.number', '"config.number" must match'],
    [{ type: 'SLACK_APP', config: { slackChannels: [] } }, 'config.slackChannels', 'must not be empty'],
    [{ type: 'PAGERDUTY', config: { serviceKey: '' } }, 'config.serviceKey', 'must not be empty'],
    [{ type: 'PAGERDUTY', config: {} }, 'config.serviceKey', '"config.serviceKey" is required'],
    [{ type: 'OPSGENIE', config: { apiKey: '' } }, 'config.apiKey', '"config.apiKey" must not be empty'],
    [
      { type: 'OPSGENIE', config: { apiKey: 'k', priority: 'P6' } },
      'config.priority',
      'must be one of ["P1", "P2", "P3", "P4", "P5"], was "P6"',
    ],
    [
      { type: 'EMAIL', config: { address: 'a@b.com' }, sslExpiryThreshold: 31 },
      'sslExpiryThreshold',
      '"sslExpiryThreshold" must be 30 or less, was 31',
    ],
  ])('%j is refused by the name of the field', async (body, key, message) => {
    const answer = await service.api('POST', url, body)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().validation).toEqual({ source: 'payload', keys: [key] })
    expect(answer.json().message).toContain(message)
  })

  test('another account and an id that is none find nothing', async () => {
    await makeChannel(service)
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    const body = { type: 'EMAIL', config: { address: 'eve@b.com' } }
    const subscription = { checkId: nobody, activated: true }
    const operations = [
      ['GET', `${url}/1`, undefined],
      ['PUT', `${url}/1`, body],
      ['DELETE', `${url}/1`, undefined],
      ['PUT', `${url}/1/subscriptions`, subscription],
    ] as const
    for (const [method, path, payload] of operations) {
      const answer = await service.app.inject({ method, url: path, headers, ...(payload && { payload }) })
      expect(answer.statusCode, method).toBe(404)
    }
    expect((await service.app.inject({ url, headers })).json()).toEqual([])
    expect((await service.api('GET', `${url}/2`)).statusCode).toBe(404)
    expect((await read(1)).config).toEqual({ address: 'a@b.com' })
  })
})

describe('credentials', () => {
  const withSecret = (webhookSecret?: string) => ({
    type: 'WEBHOOK',
    config: { url: 'https://example.com/t0k3n', ...(webhookSecret !== undefined && { webhookSecret }) },
  })
  const stored = async () => {
    const row = await service.database.kysely.selectFrom('documents').selectAll().executeTakeFirstOrThrow()
    return JSON.parse(row.definition)
  }
  const opened = async () =>
    JSON.parse(service.sealer.open((await stored()).config, ['documents', 'alert-channel', '1', 'config']))

  test('no part of a config is stored in clear, and no answer tells a credential', async () => {
    const answer = await service.api('POST', url, withSecret('s3cr3t'))
    expect(answer.json().config.webhookSecret).toBe('')
    expect(JSON.stringify(await stored())).not.toMatch(/s3cr3t|t0k3n|example/)
    expect((await opened()).webhookSecret).toBe('s3cr3t')
    for (const path of [url, `${url}/1`])
      expect((await service.api('GET', path)).body).not.toContain('s3cr3t')
  })

  test('one that is left empty stays, one that is given replaces it, one that is left out goes', async () => {
    await service.api('POST', url, withSecret('s3cr3t'))
    await service.api('PUT', `${url}/1`, withSecret(''))
    expect((await opened()).webhookSecret).toBe('s3cr3t')
    await service.api('PUT', `${url}/1`, withSecret('other'))
    expect((await opened()).webhookSecret).toBe('other')
    await service.api('PUT', `${url}/1`, withSecret())
    expect(await opened()).not.toHaveProperty('webhookSecret')
    expect((await read(1)).config).not.toHaveProperty('webhookSecret')
  })

  test('that of another type is not kept', async () => {
    await service.api('POST', url, { type: 'OPSGENIE', config: channelConfigs['OPSGENIE'] })
    const pager = { type: 'PAGERDUTY', config: { serviceKey: '' } }
    const answer = await service.api('PUT', `${url}/1`, pager)
    expect([answer.statusCode, answer.json().message]).toEqual([400, '"config.serviceKey" must not be empty'])
    expect((await opened()).apiKey).toBe('k3y-of-an-api')
  })
})
