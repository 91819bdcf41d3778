import { expect, test } from 'vitest'
import {
  deleteMissedSlotsBefore,
  insertMissedSlots,
  listMissedSlots,
} from '../../src/storage/missed-slots.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

const row = { checkId: 'a check', untilDueAt: t0 + 99, slots: 3, reason: 'service-down' }

forEachEngine((_engine, open) => {
  test('writing the same slots twice changes nothing', async () => {
    const { kysely: db } = await open()
    const missed = { ...row, id: '1', fromDueAt: t0 }
    await insertMissedSlots(db, missed)
    await insertMissedSlots(db, { ...missed, slots: 4 })
    expect(await listMissedSlots(db, 'a check')).toEqual([missed])
  })

  test('lists the missed slots of one check, oldest first', async () => {
    const { kysely: db } = await open()
    const [newer, older] = [
      { ...row, id: '1', fromDueAt: t0 + 1 },
      { ...row, id: '2', fromDueAt: t0 },
    ]
    for (const missed of [newer, older, { ...older, id: '3', checkId: 'another' }])
      await insertMissedSlots(db, missed)
    expect(await listMissedSlots(db, 'a check')).toEqual([older, newer])
  })

  test('forgets those whose last slot is too old', async () => {
    const { kysely: db } = await open()
    const old = { ...row, id: '1', fromDueAt: t0 - 9, untilDueAt: t0 - 1 }
    const kept = { ...row, id: '2', fromDueAt: t0 - 9, untilDueAt: t0 }
    for (const missed of [old, kept]) await insertMissedSlots(db, missed)
    expect(await deleteMissedSlotsBefore(db, t0)).toBe(1)
    expect(await listMissedSlots(db, 'a check')).toEqual([kept])
  })
})
