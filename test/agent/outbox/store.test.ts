import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Batch } from '../../../src/agent/outbox/messages.ts'
import { OutboxStore } from '../../../src/agent/outbox/store.ts'
import { makeDataDir } from '../../support/data-dir.ts'

const hourMs = 3_600_000

async function setUp(limits: { readonly maxBytes?: number; readonly maxAgeMs?: number } = {}) {
  const dir = await makeDataDir()
  const path = join(dir, 'outbox.db')
  const time = { now: 1000 }
  const open = () =>
    new OutboxStore({ path, agentId: 'a', maxBytes: 1e6, maxAgeMs: hourMs, ...limits }, () => time.now)
  return { dir, path, time, open }
}

function recordsOf(batch: Batch | null): unknown {
  return batch && JSON.parse(gunzipSync(batch.body).toString())
}

describe('the file of the outbox', () => {
  test('gives what was put into it, oldest first, in the shape of an upload', async () => {
    const { open } = await setUp()
    const store = open()
    store.put(['{"n":1}', '{"n":2}'])
    store.put(['{"n":3}'])
    const batch = store.take(2, 1e6)
    expect(recordsOf(batch)).toEqual({ agentId: 'a', results: [{ n: 1 }, { n: 2 }] })
    store.remove(batch?.seqs ?? [])
    expect(recordsOf(store.take(2, 1e6))).toEqual({ agentId: 'a', results: [{ n: 3 }] })
    store.close()
  })

  test('keeps it over a restart', async () => {
    const { open } = await setUp()
    const first = open()
    first.put(['{"n":1}'])
    const { stats } = first
    first.close()
    const second = open()
    expect(second.stats).toEqual(stats)
    expect(recordsOf(second.take(10, 1e6))).toEqual({ agentId: 'a', results: [{ n: 1 }] })
    second.close()
  })

  test('gives at least one record, however large, and else no more than was asked for', async () => {
    const { open } = await setUp()
    const store = open()
    const record = JSON.stringify({ text: 'x'.repeat(89) })
    store.put([record, record, record])
    expect(store.take(10, 10)?.seqs).toHaveLength(1)
    expect(store.take(10, 200)?.seqs).toHaveLength(2)
    store.close()
  })

  test('drops the oldest when it is over its size, and counts them', async () => {
    const { open } = await setUp({ maxBytes: 30 })
    const store = open()
    for (const n of [1, 2, 3, 4, 5]) store.put([`{"number":${n}}`])
    expect(store.stats).toMatchObject({ depth: 2, bytes: 24, dropped: { size: 3, age: 0 } })
    expect(recordsOf(store.take(10, 1e6))).toMatchObject({ results: [{ number: 4 }, { number: 5 }] })
    store.close()
  })

  test('drops what is too old, and counts it', async () => {
    const { open, time } = await setUp()
    const store = open()
    store.put(['{"n":1}'])
    time.now += hourMs
    store.put(['{"n":2}'])
    expect(store.stats.oldestAt).toBe(1000)
    time.now += 1
    expect(recordsOf(store.take(10, 1e6))).toMatchObject({ results: [{ n: 2 }] })
    expect(store.stats).toMatchObject({ depth: 1, oldestAt: 1000 + hourMs, dropped: { size: 0, age: 1 } })
    store.close()
  })

  test('sets aside a record that cannot be read, and goes on with those behind it', async () => {
    const { open, path } = await setUp()
    const store = open()
    store.put(['{"n":1', '{"n":2}'])
    expect(recordsOf(store.take(10, 1e6))).toMatchObject({ results: [{ n: 2 }] })
    expect(store.stats).toMatchObject({ depth: 1, unreadable: 1 })
    store.close()
    const file = new DatabaseSync(path)
    expect(file.prepare('SELECT reason, body FROM poison').all()).toEqual([
      { reason: 'the record cannot be read', body: '{"n":1' },
    ])
    file.close()
  })

  test('belongs to one opener at a time', async () => {
    const { open } = await setUp()
    const first = open()
    expect(open).toThrow('database is locked')
    first.close()
    open().close()
  })

  test('is set aside when it is no database, and begun anew', async () => {
    const { open, path, dir } = await setUp()
    await writeFile(path, 'not a database, but long enough to look like one'.repeat(100))
    const store = open()
    store.put(['{"n":1}'])
    expect(store.stats.depth).toBe(1)
    onTestFinished(() => store.close())
    expect(await readdir(dir)).toContain('outbox.db.corrupt-1000')
  })

  test('is not for the eyes of other users', async () => {
    const { open, path } = await setUp()
    open().close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })
})
