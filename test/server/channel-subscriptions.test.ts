import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectConforming, makeChannel } from '../support/alert-channels.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/alert-channels'
const one = '/v1/alert-channels/{id}'
const nobody = '00000000-0000-4000-8000-000000000000'

const makeCheck = async (overrides = {}): Promise<string> =>
  (await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))).json().id
const makeGroup = async (): Promise<number> =>
  (await service.api('POST', '/v2/check-groups', { name: 'Shop' })).json().id
const read = async (id: number) => (await service.api('GET', `${url}/${id}`)).json()
const subscriptionsNow = async () =>
  service.database.kysely.selectFrom('alertChannelSubscriptions').selectAll().execute()

describe('subscriptions of a channel', () => {
  test('are set with the channel, in their order, and keep their ids when they are sent again', async () => {
    const [check, group] = [await makeCheck(), await makeGroup()]
    const wanted = [
      { groupId: group, checkId: null, activated: false },
      { checkId: check, groupId: null, activated: true },
    ]
    const made = await makeChannel(service, { subscriptions: wanted })
    expect(made.subscriptions).toEqual([
      { id: 1, ...wanted[0] },
      { id: 2, ...wanted[1] },
    ])
    const turned = { ...made, subscriptions: made.subscriptions.toReversed() }
    const answer = await service.api('PUT', `${url}/1`, turned)
    expectConforming(answer, 'PUT', one, 200)
    expect((await read(1)).subscriptions).toEqual(turned.subscriptions)
  })

  test('stay when an update leaves them out, and go with an empty list', async () => {
    const subscriptions = [{ checkId: await makeCheck(), activated: true }]
    const { subscriptions: _made, ...settings } = await makeChannel(service, { subscriptions })
    await service.api('PUT', `${url}/1`, settings)
    expect((await read(1)).subscriptions).toHaveLength(1)
    await service.api('PUT', `${url}/1`, { ...settings, subscriptions: [] })
    expect((await read(1)).subscriptions).toEqual([])
    expect(await subscriptionsNow()).toEqual([])
  })

  test('one is added or changed by itself', async () => {
    const [check, group] = [await makeCheck(), await makeGroup()]
    await makeChannel(service)
    const put = (payload: object) => service.api('PUT', `${url}/1/subscriptions`, payload)
    const added = await put({ checkId: check, activated: true })
    expectConforming(added, 'PUT', `${one}/subscriptions`, 200)
    expect(added.json()).toEqual({ id: 1, checkId: check, groupId: null, activated: true })
    const ofGroup = await put({ groupId: group, checkId: '', activated: true })
    expect(ofGroup.json()).toEqual({ id: 2, checkId: null, groupId: group, activated: true })
    const changed = await put({ checkId: check, groupId: null, activated: false })
    expect(changed.json()).toEqual({ id: 1, checkId: check, groupId: null, activated: false })
    expect((await read(1)).subscriptions).toEqual([changed.json(), ofGroup.json()])
  })

  test('name one check or one group of the account, once', async () => {
    const check = await makeCheck()
    await makeChannel(service)
    const refused = async (payload: object) => {
      const answer = await service.api('PUT', `${url}/1/subscriptions`, payload)
      return [answer.statusCode, answer.json().message]
    }
    const ends = '"checkId" or "groupId" must be given, and not both'
    expect(await refused({ activated: true })).toEqual([400, ends])
    expect(await refused({ checkId: check, groupId: 1, activated: true })).toEqual([400, ends])
    expect(await refused({ groupId: 9, activated: true })).toEqual([
      400,
      '"groupId" names 9, which is the id of no check group of this account',
    ])
    expect(await refused({ checkId: nobody, activated: true })).toEqual([
      400,
      `"checkId" names "${nobody}", which is the id of no check of this account`,
    ])
    const twice = await service.api('PUT', `${url}/1`, {
      type: 'EMAIL',
      config: { address: 'changed@b.com' },
      subscriptions: [
        { checkId: check, activated: true },
        { checkId: check, activated: false },
      ],
    })
    expect(twice.json()).toMatchObject({
      statusCode: 400,
      message: `"subscriptions[1].checkId" names "${check}" again: a check may be there once`,
      validation: { keys: ['subscriptions[1].checkId'] },
    })
    expect(await read(1)).toMatchObject({ config: { address: 'a@b.com' }, subscriptions: [] })
  })

  test('cannot name a check of another account', async () => {
    const { apiKey } = await service.addAccount()
    const foreign = await service.app.inject({
      method: 'POST',
      url: '/v1/checks/api',
      headers: { authorization: `Bearer ${apiKey}` },
      payload: apiCheckBody(),
    })
    await makeChannel(service)
    const answer = await service.api('PUT', `${url}/1/subscriptions`, { checkId: foreign.json().id })
    expect(answer.statusCode).toBe(400)
    expect(await subscriptionsNow()).toEqual([])
  })

  test('go with their check, with their group and with their channel', async () => {
    const [check, group] = [await makeCheck(), await makeGroup()]
    const subscriptions = [
      { checkId: check, activated: true },
      { groupId: group, activated: true },
    ]
    for (let at = 0; at < 2; at += 1) await makeChannel(service, { subscriptions })
    expect(await subscriptionsNow()).toHaveLength(4)
    await service.api('DELETE', `/v1/checks/${check}`)
    expect((await read(1)).subscriptions).toMatchObject([{ groupId: group }])
    const removed = await service.api('DELETE', `${url}/1`)
    expectConforming(removed, 'DELETE', one, 204)
    expect(await subscriptionsNow()).toMatchObject([{ channelId: 2, groupId: group }])
    await service.api('DELETE', `/v1/check-groups/${group}`)
    expect(await subscriptionsNow()).toEqual([])
    expect((await read(2)).subscriptions).toEqual([])
  })
})
