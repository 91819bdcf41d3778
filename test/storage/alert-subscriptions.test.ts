import { expect, test } from 'vitest'
import {
  deleteSubscriptionsOfChannel,
  existingCheckIds,
  existingGroupIds,
  putSubscription,
  replaceSubscriptions,
  subscriptionsOf,
} from '../../src/storage/alert-subscriptions.ts'
import { insertCheckGroup } from '../../src/storage/check-groups.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

async function addGroup({ kysely }: Database, accountId: string, id: number): Promise<number> {
  const row = { id, accountId, name: 'Shop', definition: '{}', createdAt: t0, updatedAt: null }
  await insertCheckGroup(kysely, row, [])
  return id
}

const ofCheck = (checkId: string, channelId: number, activated: 0 | 1 = 1) => ({
  channelId,
  checkId,
  groupId: null,
  activated,
})
const ofGroup = (groupId: number, channelId: number) => ({
  channelId,
  checkId: null,
  groupId,
  activated: 1 as const,
})

forEachEngine((_engine, open) => {
  test('keeps the order of each list, and the ids of those that stay', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const [first, second] = [await addCheck(database, accountId), await addCheck(database, accountId)]
    const channelsOf = async (id: string) =>
      (await subscriptionsOf(db, 'checkId', [id])).map(({ channelId }) => channelId)
    await replaceSubscriptions(
      db,
      'checkId',
      first.id,
      [3, 1, 2].map((id) => ofCheck(first.id, id)),
    )
    await replaceSubscriptions(db, 'checkId', second.id, [ofCheck(second.id, 1)])
    const idOf = async (channelId: number) =>
      (await subscriptionsOf(db, 'channelId', [channelId])).find(({ checkId }) => checkId === first.id)?.id
    const [before, other] = [await idOf(1), await subscriptionsOf(db, 'checkId', [second.id])]
    await replaceSubscriptions(
      db,
      'checkId',
      first.id,
      [4, 1].map((id) => ofCheck(first.id, id, 0)),
    )
    expect(await channelsOf(first.id)).toEqual([4, 1])
    expect(await idOf(1)).toBe(before)
    expect(await subscriptionsOf(db, 'checkId', [second.id])).toEqual(other)
    await replaceSubscriptions(db, 'channelId', 1, [ofCheck(second.id, 1), ofCheck(first.id, 1)])
    const ofChannel = (await subscriptionsOf(db, 'channelId', [1])).map(({ checkId }) => checkId)
    expect(ofChannel).toEqual([second.id, first.id])
    expect(await channelsOf(first.id)).toEqual([4, 1])
  })

  test('puts one behind all others of both its ends, once', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId)
    const groups = [await addGroup(database, accountId, 7), await addGroup(database, accountId, 8)]
    await replaceSubscriptions(
      db,
      'channelId',
      1,
      groups.map((id) => ofGroup(id, 1)),
    )
    await replaceSubscriptions(
      db,
      'checkId',
      check.id,
      [2, 3].map((id) => ofCheck(check.id, id)),
    )
    const put = await putSubscription(db, ofCheck(check.id, 1))
    expect((await subscriptionsOf(db, 'channelId', [1])).at(-1)).toEqual(put)
    expect((await subscriptionsOf(db, 'checkId', [check.id])).at(-1)).toEqual(put)
    expect(await putSubscription(db, ofCheck(check.id, 1, 0))).toEqual({ ...put, activated: 0 })
    expect(await putSubscription(db, { ...ofGroup(7, 1), activated: 0 })).toMatchObject({ groupId: 7, id: 1 })
    expect(await subscriptionsOf(db, 'channelId', [1])).toHaveLength(3)
  })

  test('takes more than fit one statement', async () => {
    const database = await open()
    const db = database.kysely
    const check = await addCheck(database, await addAccount(database))
    const channels = Array.from({ length: 1000 }, (_, index) => 1000 - index)
    await replaceSubscriptions(
      db,
      'checkId',
      check.id,
      channels.map((id) => ofCheck(check.id, id)),
    )
    const rows = await subscriptionsOf(db, 'checkId', [check.id])
    expect(rows.map(({ channelId }) => channelId)).toEqual(channels)
    expect(await subscriptionsOf(db, 'channelId', channels)).toHaveLength(1000)
  })

  test('lets a subscription have one end besides its channel, and each end once', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId)
    const group = await addGroup(database, accountId, 1)
    await putSubscription(db, ofCheck(check.id, 1))
    const insert = (changes: object) =>
      db
        .insertInto('alertChannelSubscriptions')
        .values({ ...ofCheck(check.id, 2), id: 90, position: 90, channelPosition: 90, ...changes })
        .execute()
    await expect(insert({ groupId: group })).rejects.toThrow(/check/i)
    await expect(insert({ checkId: null })).rejects.toThrow(/check/i)
    await expect(insert({ channelId: 1 })).rejects.toThrow(/unique/i)
    await insert({})
  })

  test('go with their check, their group or their channel', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId)
    const group = await addGroup(database, accountId, 1)
    const wanted = (channelId: number) => [ofCheck(check.id, channelId), ofGroup(group, channelId)]
    for (const channelId of [1, 2]) await replaceSubscriptions(db, 'channelId', channelId, wanted(channelId))
    await deleteSubscriptionsOfChannel(db, 1)
    expect(await subscriptionsOf(db, 'channelId', [1, 2])).toHaveLength(2)
    await deleteCheck(db, accountId, check.id)
    expect(await subscriptionsOf(db, 'channelId', [1, 2])).toMatchObject([{ channelId: 2, groupId: group }])
    await db.deleteFrom('checkGroups').execute()
    expect(await subscriptionsOf(db, 'channelId', [1, 2])).toEqual([])
  })

  test('knows the checks and groups of one account', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const [check, foreign] = [await addCheck(database, ours), await addCheck(database, theirs)]
    await addGroup(database, ours, 1)
    await addGroup(database, theirs, 2)
    expect(await existingCheckIds(db, ours, [check.id, foreign.id, 'none'])).toEqual([check.id])
    expect(await existingGroupIds(db, ours, [1, 2, 3])).toEqual([1])
    expect(await existingGroupIds(db, ours, [])).toEqual([])
  })
})
