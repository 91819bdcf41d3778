import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutboxStore } from '../../../src/agent/outbox/store.ts'
import { makeDataDir } from '../../support/data-dir.ts'

const maxAgeMs = 1000
const maxBytes = 400
const key = randomBytes(32)

/** What was put and neither taken away nor set aside, oldest first; `at` in true time. */
interface Model {
  waiting: { readonly n: number; readonly at: number }[]
  dropped: { readonly size: number; readonly age: number }
}

/** A store, and the clocks around it: the service's is right, this machine's wall clock is not. */
class Real {
  readonly #dir: string
  readonly #clock = {
    now: () => this.trueMs + this.wallAheadMs,
    monotonicMs: () => this.trueMs - this.startedMs,
  }
  trueMs = 1_000_000
  startedMs = this.trueMs
  wallAheadMs = 0
  lastN = 0
  droppedBefore = { size: 0, age: 0 }
  folder: string
  store: OutboxStore

  constructor(dir: string) {
    this.#dir = dir
    this.folder = dir
    this.store = this.#open()
  }

  /** The process is gone: what it had not finished is not on the disk. */
  crash(): void {
    const next = mkdtempSync(join(this.#dir, 'after-'))
    for (const name of ['outbox.db', 'outbox.db-wal']) {
      const path = join(this.folder, name)
      if (existsSync(path)) copyFileSync(path, join(next, name))
    }
    this.reopen(next)
  }

  reopen(folder = this.folder): void {
    this.droppedBefore = this.dropped
    this.store.close()
    this.folder = folder
    this.startedMs = this.trueMs
    this.store = this.#open()
  }

  get dropped(): Model['dropped'] {
    const { size, age } = this.store.stats.dropped
    return { size: this.droppedBefore.size + size, age: this.droppedBefore.age + age }
  }

  numbers(): { readonly seqs: readonly number[]; readonly numbers: readonly number[] } {
    const batch = this.store.take(1000, 1e9)
    const results: { n: number }[] = batch ? JSON.parse(gunzipSync(batch.body).toString()).results : []
    return { seqs: batch?.seqs ?? [], numbers: results.map(({ n }) => n) }
  }

  #open(): OutboxStore {
    const path = join(this.folder, 'outbox.db')
    const settings = { path, content: 'results' as const, agentId: 'a', maxBytes, maxAgeMs, key }
    return new OutboxStore(settings, this.#clock)
  }
}

/** Nothing is gone but the oldest, each for its reason and counted; what is left comes whole and in its order. */
function expectKept(model: Model, real: Real): readonly number[] {
  const { seqs, numbers } = real.numbers()
  const gone = model.waiting.splice(0, model.waiting.length - numbers.length)
  expect(numbers).toEqual(model.waiting.map(({ n }) => n))
  const ofSize = real.dropped.size - model.dropped.size
  const ofAge = real.dropped.age - model.dropped.age
  model.dropped = real.dropped
  expect(gone).toHaveLength(ofSize + ofAge)
  const lastOfSize = gone.slice(Math.max(0, ofSize - 1))
  if (ofSize > 0) expect(bytesOf([...lastOfSize, ...model.waiting])).toBeGreaterThan(maxBytes)
  for (const { at } of gone.slice(ofSize)) expect(real.trueMs - at).toBeGreaterThan(maxAgeMs)
  const { depth, bytes, oldestAgeMs } = real.store.stats
  expect({ depth, bytes }).toEqual({ depth: numbers.length, bytes: bytesOf(model.waiting) })
  expect(bytes).toBeLessThanOrEqual(maxBytes)
  const oldest = model.waiting[0]
  if (oldest) expect(oldestAgeMs).toBeLessThanOrEqual(real.trueMs - oldest.at)
  // What came in this process has an age that nobody can doubt.
  if (oldest && oldest.at >= real.startedMs) expect(oldestAgeMs).toBe(real.trueMs - oldest.at)
  return seqs
}

const bodyOf = ({ n }: { readonly n: number }) => JSON.stringify({ n })
const bytesOf = (records: Model['waiting']) => records.reduce((sum, record) => sum + bodyOf(record).length, 0)

type Step = fc.Command<Model, Real>

const command = (name: string, run: (model: Model, real: Real) => void): Step => ({
  check: () => true,
  run,
  toString: () => name,
})

const put = (count: number) =>
  command(`put(${count})`, (model, real) => {
    const numbers = Array.from({ length: count }, (_, index) => real.lastN + index + 1)
    real.lastN += count
    real.store.put(numbers.map((n) => bodyOf({ n })))
    model.waiting.push(...numbers.map((n) => ({ n, at: real.trueMs })))
    expectKept(model, real)
  })

const remove = (count: number) =>
  command(`remove(${count})`, (model, real) => {
    const seqs = expectKept(model, real)
    real.store.remove(seqs.slice(0, count))
    model.waiting.splice(0, count)
    expectKept(model, real)
  })

const setAside = (index: number) =>
  command(`setAside(${index})`, (model, real) => {
    const seq = expectKept(model, real)[index]
    if (seq === undefined) return
    real.store.setAside(seq, 'a reason')
    model.waiting.splice(index, 1)
    expectKept(model, real)
  })

const pass = (ms: number) =>
  command(`pass(${ms})`, (model, real) => {
    real.trueMs += ms
    expectKept(model, real)
  })

const stepWall = (ms: number) =>
  command(`stepWall(${ms})`, (model, real) => {
    real.wallAheadMs += ms
    expectKept(model, real)
  })

const meetService = command('meetService', (model, real) => {
  real.store.tellServiceTime(real.trueMs)
  expectKept(model, real)
})

const crash = (goneMs: number) =>
  command(`crash(${goneMs})`, (model, real) => {
    real.trueMs += goneMs
    real.crash()
    expectKept(model, real)
  })

const restart = (goneMs: number) =>
  command(`restart(${goneMs})`, (model, real) => {
    real.trueMs += goneMs
    real.reopen()
    expectKept(model, real)
  })

const commands = [
  fc.integer({ min: 1, max: 20 }).map(put),
  fc.integer({ min: 1, max: 10 }).map(remove),
  fc.integer({ min: 0, max: 5 }).map(setAside),
  fc.integer({ min: 1, max: 400 }).map(pass),
  fc.integer({ min: -1e9, max: 1e9 }).map(stepWall),
  fc.constant(meetService),
  fc.integer({ min: 0, max: 600 }).map(crash),
  fc.integer({ min: 0, max: 600 }).map(restart),
]

test('the outbox keeps what was put into it through crashes, restarts and clocks that are set', async () => {
  const dir = await makeDataDir()
  fc.assert(
    fc.property(fc.commands(commands, { maxCommands: 40, size: 'max' }), (steps) => {
      const real = new Real(mkdtempSync(join(dir, 'run-')))
      try {
        fc.modelRun(() => ({ model: { waiting: [], dropped: { size: 0, age: 0 } }, real }), steps)
      } finally {
        real.store.close()
      }
    }),
    { numRuns: 30 },
  )
})
