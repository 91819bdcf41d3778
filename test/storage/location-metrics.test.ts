import { expect, test } from 'vitest'
import {
  deleteLocationMetricsBefore,
  insertLocationMetrics,
  listLocationMetrics,
} from '../../src/storage/location-metrics.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

const sample = {
  accountId: 'ours',
  location: 'cellar',
  at: t0,
  queueSize: 3,
  oldestScheduledCheckRunMs: 1500,
}
const dataCenter = { ...sample, accountId: null, location: 'eu-west-1' }
const always = { from: 0, to: t0 + 1_000_000 }

forEachEngine((_engine, open) => {
  test('keeps one sample of a location and instant, the first', async () => {
    const { kysely: db } = await open()
    await insertLocationMetrics(db, [sample, dataCenter])
    await insertLocationMetrics(db, [
      { ...sample, queueSize: 9 },
      { ...dataCenter, queueSize: 9 },
    ])
    await insertLocationMetrics(db, [])
    expect(await listLocationMetrics(db, { ...always, accountId: 'ours', location: 'cellar' })).toEqual([
      sample,
    ])
    expect(await listLocationMetrics(db, { ...always, accountId: null, location: 'eu-west-1' })).toEqual([
      dataCenter,
    ])
  })

  test('lists a window of one location of one account, oldest first', async () => {
    const { kysely: db } = await open()
    const samples = [3, 1, 0, 2].map((minute) => ({ ...sample, at: t0 + minute * 60_000 }))
    await insertLocationMetrics(db, [
      ...samples,
      { ...sample, accountId: 'theirs', at: t0 + 60_000 },
      { ...sample, location: 'attic', at: t0 + 60_000 },
    ])
    const window = { accountId: 'ours', location: 'cellar', from: t0 + 60_000, to: t0 + 120_000 }
    expect(await listLocationMetrics(db, window)).toEqual([samples[1], samples[3]])
  })

  test('deletes what is too old', async () => {
    const { kysely: db } = await open()
    await insertLocationMetrics(db, [sample, { ...sample, at: t0 - 1 }])
    await deleteLocationMetricsBefore(db, t0)
    expect(await listLocationMetrics(db, { ...always, accountId: 'ours', location: 'cellar' })).toEqual([
      sample,
    ])
  })
})
