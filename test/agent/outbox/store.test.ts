import { randomBytes } from 'node:crypto'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Batch, OutboxSettings } from '../../../src/agent/outbox/messages.ts'
import { OutboxStore } from '../../../src/agent/outbox/store.ts'
import { makeDataDir } from '../../support/data-dir.ts'

const hourMs = 3_600_000

const key = randomBytes(32)
const wallStart = 1_000_000

async function setUp(limits: { readonly maxBytes?: number; readonly maxAgeMs?: number } = {}) {
  const dir = await makeDataDir()
  const path = join(dir, 'outbox.db')
  const time = { wall: wallStart, monotonic: 0 }
  const clock = { now: () => time.wall, monotonicMs: () => time.monotonic }
  const pass = (ms: number) => {
    time.wall += ms
    time.monotonic += ms
  }
  const settings = {
    path,
    content: 'results' as const,
    agentId: 'a',
    maxBytes: 1e6,
    maxAgeMs: hourMs,
    key,
    ...limits,
  }
  const open = (changed: Partial<OutboxSettings> = {}) => new OutboxStore({ ...settings, ...changed }, clock)
  return { dir, path, time, pass, open }
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

  test("gives pings with their ages, and as of when they came where the service's clock is known, the same each time", async () => {
    const { open, pass } = await setUp()
    const store = open({ content: 'pings' })
    store.put(['{"n":1}'])
    pass(30)
    const pings = () => recordsOf(store.take(2, 1e6))
    expect(pings()).toEqual({ agentId: 'a', pings: [{ ageMs: 30, at: null, ping: { n: 1 } }] })
    store.tellServiceTime(5000)
    expect(pings()).toMatchObject({ pings: [{ ageMs: 30, at: 4970 }] })
    pass(100)
    store.tellServiceTime(5103)
    expect(pings()).toMatchObject({ pings: [{ ageMs: 130, at: 4970 }] })
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
    const { open, pass } = await setUp()
    const store = open()
    store.put(['{"n":1}'])
    pass(hourMs)
    store.put(['{"n":2}'])
    expect(store.stats.oldestAgeMs).toBe(hourMs)
    pass(1)
    expect(recordsOf(store.take(10, 1e6))).toMatchObject({ results: [{ n: 2 }] })
    expect(store.stats).toMatchObject({ depth: 1, oldestAgeMs: 1, dropped: { size: 0, age: 1 } })
    store.close()
  })

  test('sets aside a record that cannot be read, and goes on with those behind it', async () => {
    const { open, path } = await setUp()
    const first = open()
    first.put(['{"n":1', '{"n":2}', '{"n":3}'])
    first.close()
    const file = new DatabaseSync(path)
    file.exec("UPDATE records SET body = x'00' WHERE seq = 2")
    file.close()
    const second = open()
    expect(recordsOf(second.take(10, 1e6))).toMatchObject({ results: [{ n: 3 }] })
    expect(second.stats).toMatchObject({ depth: 1, unreadable: 2 })
    second.close()
    const reasons = new DatabaseSync(path)
    expect(reasons.prepare('SELECT seq, reason FROM poison').all()).toEqual([
      { seq: 1, reason: 'the record cannot be read' },
      { seq: 2, reason: 'the record cannot be read' },
    ])
    reasons.close()
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
    expect(await readdir(dir)).toContain(`outbox.db.corrupt-${wallStart}`)
  })

  test('is not for the eyes of other users', async () => {
    const { open, path } = await setUp()
    open().close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('tells nothing of its records, set aside or not, to whoever has the file alone', async () => {
    const { open, dir } = await setUp()
    const store = open()
    store.put(['{"text":"what a target said"}', '{"text":"what a target said"}'])
    store.setAside(1, 'refused')
    const told = async () =>
      Buffer.concat(await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name)))))
    expect((await told()).includes('what a target')).toBe(false)
    store.close()
    expect((await told()).includes('what a target')).toBe(false)
    expect((await told()).includes('refused')).toBe(true)
  })
})

describe('the age of a record', () => {
  const aged = async () => {
    const { open, time, pass } = await setUp()
    const first = open()
    first.tellServiceTime(500)
    first.put(['{"n":1}'])
    first.close()
    return { open, time, pass }
  }
  const years = 24 * 365 * 3 * hourMs

  test.each([years, -years])('is not moved when the wall clock is set, by %i ms', async (step) => {
    const { open, time } = await setUp()
    const store = open()
    store.put(['{"n":1}'])
    time.wall += step
    time.monotonic += 10
    store.put(['{"n":2}'])
    expect(store.stats).toMatchObject({ depth: 2, oldestAgeMs: 10, dropped: { size: 0, age: 0 } })
    store.close()
  })

  test.each([years, -years])('is not moved when it is set between two processes, by %i ms', async (step) => {
    const { open, time } = await aged()
    time.wall += step
    const store = open()
    store.tellServiceTime(500 + 7)
    expect(recordsOf(store.take(10, 1e6))).toMatchObject({ results: [{ n: 1 }] })
    expect(store.stats.oldestAgeMs).toBe(step > 0 ? 7 : 0)
    store.close()
  })

  test('is not moved when the clock of the service is set', async () => {
    const { open } = await aged()
    const store = open()
    store.tellServiceTime(500 + years)
    expect(store.stats.oldestAgeMs).toBe(0)
    store.tellServiceTime(500 + 2 * years)
    store.put(['{"n":2}'])
    expect(store.stats).toMatchObject({ depth: 2, oldestAgeMs: 0 })
    store.close()
  })

  test('has in it what passed between two processes, when both clocks say so', async () => {
    const { open, pass } = await aged()
    pass(hourMs + 1)
    const store = open()
    expect(store.stats.oldestAgeMs).toBe(0)
    store.tellServiceTime(500 + hourMs + 1)
    expect(store.stats.oldestAgeMs).toBe(hourMs + 1)
    expect(store.take(10, 1e6)).toBeNull()
    expect(store.stats.dropped).toEqual({ size: 0, age: 1 })
    store.close()
  })

  test('is counted once, also by a process in between that never met the service', async () => {
    const { open, pass } = await aged()
    pass(100)
    const second = open()
    pass(1000)
    second.close()
    pass(10)
    const third = open()
    third.tellServiceTime(500 + 1110)
    expect(third.stats.oldestAgeMs).toBe(1010)
    third.close()
  })

  test('has no time in it that may have passed before it came, in a process that never met the service', async () => {
    const { open, time, pass } = await aged()
    pass(100)
    const second = open()
    second.put(['{"n":2}'])
    second.close()
    time.wall += 100
    const third = open()
    third.tellServiceTime(500 + 100)
    third.remove([1])
    expect(third.stats).toMatchObject({ depth: 1, oldestAgeMs: 0 })
    third.close()
  })
})

describe('the file of another version', () => {
  const oldLayout = `
    CREATE TABLE records (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL
    );
    CREATE TABLE poison (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, reason TEXT NOT NULL, body TEXT NOT NULL);
    INSERT INTO records VALUES (4, 900000, 16, '{"told":"hello"}');
    WITH RECURSIVE many (n) AS (SELECT 5 UNION ALL SELECT n + 1 FROM many WHERE n < 200)
      INSERT INTO records SELECT n, 900000, 1016, '{"told":"hello' || printf('%.1000c', '.') || '"}' FROM many;
    INSERT INTO poison VALUES (2, 800000, 'refused', '{"told":"hello"}')`

  test('that is older is read, and its records are in clear no more', async () => {
    const { open, path, dir } = await setUp()
    const old = new DatabaseSync(path)
    old.exec(`PRAGMA journal_mode = WAL; ${oldLayout}`)
    old.close()
    const store = open()
    expect(recordsOf(store.take(1, 1e6))).toMatchObject({ results: [{ told: 'hello' }] })
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
    expect(Buffer.concat(files).includes('hello')).toBe(false)
    store.close()
    const again = open()
    expect(again.stats.depth).toBe(197)
    again.close()
  })

  test('that is newer is set aside whole, and said', async () => {
    const { open, path, dir } = await setUp()
    const newer = new DatabaseSync(path)
    newer.exec('PRAGMA user_version = 2; CREATE TABLE of_tomorrow (n)')
    newer.close()
    const store = open()
    const aside = join(dir, `outbox.db.newer-${wallStart}`)
    expect(store.setAsideFile).toEqual({ reason: 'newer', path: aside })
    store.put(['{"n":1}'])
    expect(store.stats.depth).toBe(1)
    store.close()
    const kept = new DatabaseSync(aside)
    expect(kept.prepare('SELECT * FROM of_tomorrow').all()).toEqual([])
    kept.close()
  })

  test('that is sealed with another key is set aside, and read again when the key is back', async () => {
    const { open, path } = await setUp()
    const first = open()
    first.put(['{"n":1}'])
    first.close()
    const other = open({ key: randomBytes(32) })
    const aside = other.setAsideFile
    expect(aside).toMatchObject({ reason: 'other-key' })
    expect(other.stats.depth).toBe(0)
    other.close()
    await rename(aside?.path ?? '', path)
    const again = open()
    expect(recordsOf(again.take(10, 1e6))).toMatchObject({ results: [{ n: 1 }] })
    again.close()
  })
})
