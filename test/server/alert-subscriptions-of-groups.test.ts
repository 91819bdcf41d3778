import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectConforming, makeChannel } from '../support/alert-channels.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const subscription = (alertChannelId: number, activated = true) => ({ alertChannelId, activated })

describe.each(['v1', 'v2'])('alertChannelSubscriptions of a group (%s)', (version) => {
  const url = `/${version}/check-groups`
  const post = (overrides: object, query = '') =>
    service.api('POST', `${url}${query}`, { name: 'Shop', ...overrides })
  const put = (id: number, overrides: object, query = '') =>
    service.api('PUT', `${url}/${id}${query}`, { name: 'Shop', ...overrides })
  const read = async (id: number) => (await service.api('GET', `/v1/check-groups/${id}`)).json()

  test('come back as they were sent, in their order, and when they are sent again', async () => {
    for (let at = 0; at < 3; at += 1) await makeChannel(service)
    const alertChannelSubscriptions = [subscription(3), subscription(1, false)]
    const created = await post({ alertChannelSubscriptions })
    expectConforming(created, 'POST', url, 201)
    const group = created.json()
    expect(group.alertChannelSubscriptions).toEqual(alertChannelSubscriptions)
    expect(await read(group.id)).toEqual(group)
    expect((await service.api('GET', '/v1/check-groups')).json()).toEqual([group])
    const before = (await service.api('GET', '/v1/alert-channels')).json()
    const again = await put(group.id, group)
    expectConforming(again, 'PUT', `${url}/{id}`, 200)
    expect({ ...again.json(), updated_at: null }).toEqual(group)
    expect((await service.api('GET', '/v1/alert-channels')).json()).toEqual(before)
  })

  test('tell what became of them at their channel', async () => {
    await makeChannel(service)
    await makeChannel(service)
    const { id } = (await post({ alertChannelSubscriptions: [subscription(1)] })).json()
    await service.api('PUT', '/v1/alert-channels/1/subscriptions', { groupId: id, activated: false })
    await service.api('PUT', '/v1/alert-channels/2/subscriptions', { groupId: id, activated: true })
    expect((await read(id)).alertChannelSubscriptions).toEqual([subscription(1, false), subscription(2)])
    await service.api('DELETE', '/v1/alert-channels/1')
    expect((await read(id)).alertChannelSubscriptions).toEqual([subscription(2)])
  })

  test('name each channel once', async () => {
    await makeChannel(service)
    const twice = await post({ alertChannelSubscriptions: [subscription(1), subscription(1)] })
    expect(twice.json()).toMatchObject({
      statusCode: 400,
      validation: { keys: ['alertChannelSubscriptions[1].alertChannelId'] },
    })
    expect((await service.api('GET', '/v1/check-groups')).json()).toEqual([])
  })

  test('are made by autoAssignAlerts where none are sent, in an update too', async () => {
    for (const autoSubscribe of [true, false]) await makeChannel(service, { autoSubscribe })
    const group = (await post({})).json()
    expect(group.alertChannelSubscriptions).toEqual([subscription(1)])
    const none = await put(group.id, {}, '?autoAssignAlerts=false')
    expect(none.json().alertChannelSubscriptions).toEqual([])
    expect((await put(group.id, {})).json().alertChannelSubscriptions).toEqual([subscription(1)])
    const said = await put(group.id, { alertChannelSubscriptions: [] })
    expect(said.json().alertChannelSubscriptions).toEqual([])
    expect((await post({}, '?autoAssignAlerts=false')).json().alertChannelSubscriptions).toEqual([])
  })
})
