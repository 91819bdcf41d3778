import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { channelConfigs, expectConforming, makeChannel } from '../support/alert-channels.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/checks/api'
const post = (overrides: object, query = '') =>
  service.api('POST', `${url}${query}`, apiCheckBody({ ...overrides }))
const put = (id: string, overrides: object, query = '') =>
  service.api('PUT', `${url}/${id}${query}`, apiCheckBody({ ...overrides }))
const subscription = (alertChannelId: number, activated = true) => ({ alertChannelId, activated })

describe('alertChannelSubscriptions of a check', () => {
  test('come back as they were sent, in their order', async () => {
    for (let at = 0; at < 3; at += 1) await makeChannel(service)
    const alertChannelSubscriptions = [subscription(3), subscription(1, false), subscription(2)]
    const created = await post({ alertChannelSubscriptions })
    expectConforming(created, 'POST', url, 201)
    expect(created.json().alertChannelSubscriptions).toEqual(alertChannelSubscriptions)
    const [listed] = (await service.api('GET', '/v1/checks')).json()
    expect(listed).toEqual(created.json())
    const fewer = [subscription(1), subscription(3)]
    const changed = await put(listed.id, { alertChannelSubscriptions: fewer })
    expectConforming(changed, 'PUT', `${url}/{id}`, 200)
    expect(changed.json().alertChannelSubscriptions).toEqual(fewer)
    expect((await service.api('GET', `/v1/checks/${listed.id}`)).json()).toEqual(changed.json())
  })

  test('sending back what was read changes nothing, nor the ids that the channel tells', async () => {
    await makeChannel(service)
    await makeChannel(service, { autoSubscribe: true })
    const created = (await post({ alertChannelSubscriptions: [subscription(1, false)] })).json()
    const before = (await service.api('GET', '/v1/alert-channels')).json()
    const again = (await service.api('PUT', `${url}/${created.id}`, created)).json()
    expect({ ...again, updated_at: null }).toEqual(created)
    expect((await service.api('GET', '/v1/alert-channels')).json()).toEqual(before)
  })

  test('tell what became of them at their channel', async () => {
    await makeChannel(service)
    await makeChannel(service)
    const { id } = (await post({ alertChannelSubscriptions: [subscription(1)] })).json()
    await service.api('PUT', '/v1/alert-channels/1/subscriptions', { checkId: id, activated: false })
    await service.api('PUT', '/v1/alert-channels/2/subscriptions', { checkId: id, activated: true })
    const read = async () => (await service.api('GET', `/v1/checks/${id}`)).json().alertChannelSubscriptions
    expect(await read()).toEqual([subscription(1, false), subscription(2)])
    await service.api('DELETE', '/v1/alert-channels/1')
    expect(await read()).toEqual([subscription(2)])
  })

  test('name channels of the account, each once', async () => {
    await makeChannel(service)
    const { apiKey } = await service.addAccount()
    const lost = await post({ alertChannelSubscriptions: [subscription(1), subscription(2)] })
    expect(lost.json()).toMatchObject({
      statusCode: 400,
      validation: { keys: ['alertChannelSubscriptions[1].alertChannelId'] },
    })
    const twice = await post({ alertChannelSubscriptions: [subscription(1), subscription(1, false)] })
    expect([twice.statusCode, twice.json().message]).toEqual([
      400,
      '"alertChannelSubscriptions[1].alertChannelId" names the alert channel 1 again: it may be there once',
    ])
    const foreign = await service.app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${apiKey}` },
      payload: apiCheckBody({ alertChannelSubscriptions: [subscription(1)] }),
    })
    expect(foreign.statusCode).toBe(400)
    expect((await service.api('GET', '/v1/checks')).json()).toEqual([])
    const tooMany = Array.from({ length: 1001 }, () => subscription(1))
    expect((await post({ alertChannelSubscriptions: tooMany })).json().message).toBe(
      '"alertChannelSubscriptions" must have at most 1000 items',
    )
  })
})

test('alertChannels of a check are those of its active subscriptions', async () => {
  const kinds = ['EMAIL', 'SLACK', 'WEBHOOK', 'SMS', 'PAGERDUTY', 'CALL']
  for (const type of kinds) await makeChannel(service, { type, config: channelConfigs[type] })
  await makeChannel(service, { config: { address: 'silent@b.com' } })
  const alertChannelSubscriptions = [7, 1, 2, 3, 4, 5, 6].map((id) => subscription(id, id !== 7))
  const answer = await post({ alertChannelSubscriptions })
  expectConforming(answer, 'POST', url, 201)
  expect(answer.json().alertChannels).toEqual({
    email: [{ address: 'a@b.com' }],
    webhook: [
      {
        name: 'hook',
        url: 'https://example.com/h?token=t0k3n',
        method: 'PUT',
        headers: channelConfigs['WEBHOOK']?.['headers'],
        queryParameters: channelConfigs['WEBHOOK']?.['queryParameters'],
      },
    ],
    slack: [{ url: 'https://hooks.slack.com/services/T/B/x' }],
    sms: [{ number: '+31061234567890', name: 'Jane' }],
  })
})

test('alertChannels of checks in a list are each its own', async () => {
  await makeChannel(service)
  for (const activated of [true, false])
    await post({ alertChannelSubscriptions: [subscription(1, activated)] })
  const listed = (await service.api('GET', '/v1/checks')).json()
  for (const { alertChannelSubscriptions, alertChannels } of listed)
    expect(alertChannels.email).toHaveLength(alertChannelSubscriptions[0].activated ? 1 : 0)
  expect(listed).toHaveLength(2)
})

describe('autoAssignAlerts', () => {
  const subscribed = (answer: { json: () => { alertChannelSubscriptions: unknown } }) =>
    answer.json().alertChannelSubscriptions

  beforeEach(async () => {
    for (const autoSubscribe of [true, false, true]) await makeChannel(service, { autoSubscribe })
  })

  test('subscribes a check that says nothing to the channels that ask for it', async () => {
    const all = [subscription(1), subscription(3)]
    expect(subscribed(await post({}))).toEqual(all)
    expect(subscribed(await post({ alertChannelSubscriptions: null }))).toEqual(all)
    expect(subscribed(await post({}, '?autoAssignAlerts=true'))).toEqual(all)
  })

  test('leaves a check alone that says something, be it an empty list', async () => {
    expect(subscribed(await post({ alertChannelSubscriptions: [] }))).toEqual([])
    expect(subscribed(await post({ alertChannelSubscriptions: [subscription(2)] }))).toEqual([
      subscription(2),
    ])
  })

  test('subscribes to nothing when it is false', async () => {
    expect(subscribed(await post({}, '?autoAssignAlerts=false'))).toEqual([])
  })

  test('decides in an update too, which replaces', async () => {
    const { id } = (await post({ alertChannelSubscriptions: [subscription(2)] })).json()
    expect(subscribed(await put(id, {}))).toEqual([subscription(1), subscription(3)])
    expect(subscribed(await put(id, {}, '?autoAssignAlerts=false'))).toEqual([])
  })

  test('takes no channel of another account', async () => {
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    const answer = await service.app.inject({ method: 'POST', url, headers, payload: apiCheckBody() })
    expect(subscribed(answer)).toEqual([])
  })
})
