import { type CompiledQuery, type KyselyPlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import { listAlertNotifications } from '../../src/storage/alert-notifications.ts'
import { batchesOf } from '../../src/storage/batches.ts'
import { deleteCheckAlertsBefore, listCheckAlerts } from '../../src/storage/check-alerts.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import { checkAlertRow, notificationRow } from '../support/alert-rows.ts'
import { forEachEngine } from '../support/databases.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

type Db = Database['kysely']

/** How the engine carries out the last query of `work`. */
async function planOf({ kysely: db, engine }: Database, work: (db: Db) => Promise<unknown>): Promise<string> {
  const compiled: CompiledQuery[] = []
  const spy: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      compiled.push(db.getExecutor().compileQuery(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await work(db.withPlugin(spy))
  const last = compiled.at(-1)
  if (!last) throw new Error('no query')
  const explain = engine === 'postgres' ? 'explain' : 'explain query plan'
  const { rows } = await db.executeQuery({ ...last, sql: `${explain} ${last.sql}` })
  return JSON.stringify(rows)
}

const page = { offset: 0, limit: 10 }
const window = { from: t0, to: t0 + 10 }

forEachEngine((_engine, open) => {
  test('alerts that are older go, with what was told of them, and no others', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const { id: checkId } = await addCheck(database, accountId)
    const rows = Array.from({ length: 510 }, (_, n) =>
      checkAlertRow(accountId, checkId, { createdAt: t0 + n }),
    )
    for (const batch of batchesOf(rows)) await db.insertInto('checkAlerts').values(batch).execute()
    const told = rows.slice(507).map((alert) => notificationRow(alert))
    await db.insertInto('alertNotifications').values(told).execute()
    expect(await deleteCheckAlertsBefore(db, t0 + 508)).toBe(508)
    const left = await db.selectFrom('checkAlerts').select('id').orderBy('createdAt').execute()
    expect(left.map(({ id }) => id)).toEqual(rows.slice(508).map(({ id }) => id))
    const stillTold = await db.selectFrom('alertNotifications').select('id').execute()
    expect(new Set(stillTold)).toEqual(new Set(told.slice(1).map(({ id }) => ({ id }))))
  })

  test('lists alerts of a window, newest first and then by id, of the account or of one check', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const [check, other] = [await addCheck(database, accountId), await addCheck(database, accountId)]
    const alert = (id: string, checkId: string, offset: number) =>
      checkAlertRow(accountId, checkId, { id, createdAt: t0 + offset })
    const rows = [
      alert('before', check.id, -1),
      alert('first', check.id, 0),
      alert('a', check.id, 9),
      alert('B', other.id, 9),
      alert('behind', check.id, 10),
    ]
    await db.insertInto('checkAlerts').values(rows).execute()
    const ids = async (filter: object, from = page) => {
      const listed = await listCheckAlerts(db, { accountId, ...window, ...filter }, from)
      return [listed.rows.map(({ id }) => id), listed.total]
    }
    expect(await ids({})).toEqual([['B', 'a', 'first'], 3])
    expect(await ids({}, { offset: 1, limit: 1 })).toEqual([['a'], 3])
    expect(await ids({ checkId: check.id })).toEqual([['a', 'first'], 2])
    expect(await ids({ accountId: await addAccount(database) })).toEqual([[], 0])
    expect((await listCheckAlerts(db, { accountId, ...window }, page)).rows[2]).toEqual(rows[1])
  })

  test('lists notifications by channel and by whether they got through', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId)
    const alert = checkAlertRow(accountId, check.id)
    await db.insertInto('checkAlerts').values(alert).execute()
    const states = ['SUCCESS', 'FAILURE', 'RATE_LIMITED', 'IN_PROGRESS'] as const
    const rows = states.map((status, index) =>
      notificationRow(alert, { id: status, status, channelId: 1 + (index % 2), createdAt: t0 + index }),
    )
    await db.insertInto('alertNotifications').values(rows).execute()
    const ids = async (filter: object) =>
      (await listAlertNotifications(db, { accountId, ...window, ...filter }, page)).rows.map(({ id }) => id)
    expect(await ids({})).toEqual(['IN_PROGRESS', 'RATE_LIMITED', 'FAILURE', 'SUCCESS'])
    expect(await ids({ from: t0 + 1, to: t0 + 3 })).toEqual(['RATE_LIMITED', 'FAILURE'])
    expect(await ids({ hasFailures: true })).toEqual(['RATE_LIMITED', 'FAILURE'])
    expect(await ids({ hasFailures: false, channelId: 2 })).toEqual(['IN_PROGRESS'])
    expect(await ids({ accountId: await addAccount(database) })).toEqual([])
  })

  test('alerts go with their check, and notifications with their alert', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const check = await addCheck(database, accountId)
    const alert = checkAlertRow(accountId, check.id)
    await db.insertInto('checkAlerts').values(alert).execute()
    await db.insertInto('alertNotifications').values(notificationRow(alert)).execute()
    await deleteCheck(db, accountId, check.id)
    expect((await listCheckAlerts(db, { accountId, ...window }, page)).total).toBe(0)
    expect((await listAlertNotifications(db, { accountId, ...window }, page)).total).toBe(0)
  })

  test('finds each listing by an index of its own', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const checks = await Promise.all(Array.from({ length: 20 }, () => addCheck(database, accountId)))
    const alerts = Array.from({ length: 500 }, (_, at) =>
      checkAlertRow(accountId, checks[at % 20]?.id ?? '', { createdAt: t0 - at * 1000 }),
    )
    const notifications = alerts.map((alert, at) =>
      notificationRow(alert, { channelId: at % 20, config: '' }),
    )
    await db.insertInto('checkAlerts').values(alerts).execute()
    await db.insertInto('alertNotifications').values(notifications).execute()
    await sql`analyze`.execute(db)
    const filter = { accountId, from: 0, to: t0 + 1 }
    const plans = [
      ['check_alerts_newest', (tx: Db) => listCheckAlerts(tx, filter, page)],
      [
        'check_alerts_of_check',
        (tx: Db) => listCheckAlerts(tx, { ...filter, checkId: checks[7]?.id ?? '' }, page),
      ],
      ['alert_notifications_newest', (tx: Db) => listAlertNotifications(tx, filter, page)],
      [
        'alert_notifications_of_channel',
        (tx: Db) => listAlertNotifications(tx, { ...filter, channelId: 7 }, page),
      ],
    ] as const
    for (const [index, list] of plans) expect(await planOf(database, list)).toContain(index)
  })
})
