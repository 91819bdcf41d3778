import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HeldRun, HeldRuns } from '../../src/agent/held-runs.ts'
import { dueRun } from '../support/due-run.ts'

type Phase = HeldRun['phase']

interface Known {
  phase: Phase
  leased: boolean
  /** Why it was told to stop first; null while it goes on. */
  stopped: 'lost' | 'drained' | null
}

/** What is held, and what is to be given back to the service. */
interface Model {
  readonly held: Map<string, Known>
  letGo: string[]
}

interface Real {
  readonly runs: HeldRuns
  readonly handles: Map<string, HeldRun>
}

const ids = ['a', 'b', 'c', 'd']
const busy: readonly Phase[] = ['running', 'storing']

function expectSame({ held }: Model, { runs, handles }: Real): void {
  expect(runs.size).toBe(held.size)
  expect(new Set(runs.leasedIds)).toEqual(
    new Set([...held].flatMap(([id, { leased }]) => (leased ? id : []))),
  )
  for (const [id, { stopped, phase }] of held) {
    expect(handles.get(id)?.stop.signal.aborted).toBe(stopped !== null)
    expect(runs.count(phase)).toBe([...held.values()].filter((known) => known.phase === phase).length)
  }
}

const command = (name: string, run: (model: Model, real: Real) => void): fc.Command<Model, Real> => ({
  check: () => true,
  run: (model, real) => {
    run(model, real)
    expectSame(model, real)
  },
  toString: () => name,
})

function stop(known: Known, why: NonNullable<Known['stopped']>): void {
  known.stopped ??= why
}

const hold = (id: string, leased: boolean) =>
  command(`${leased ? 'hold' : 'holdOwn'}(${id})`, ({ held }, { runs, handles }) => {
    const run = dueRun({ id })
    const handle = leased ? runs.hold(run) : runs.holdOwn(run)
    const known = held.get(id)
    expect(handle === null).toBe(known !== undefined)
    if (handle) handles.set(id, handle)
    if (!known) held.set(id, { phase: 'waiting', leased, stopped: null })
    else if (leased) known.leased = true
  })

const enter = (id: string, phase: Phase) =>
  command(`enter(${id}, ${phase})`, ({ held }, { runs, handles }) => {
    const [known, handle] = [held.get(id), handles.get(id)]
    if (!known || !handle) return
    known.phase = phase
    if (phase === 'retrying') runs.awaitRetry(handle)
    else handle.phase = phase
  })

const forget = (id: string) =>
  command(`forget(${id})`, (model, { runs, handles }) => {
    const known = model.held.get(id)
    if (known?.leased && known.stopped === 'drained') model.letGo.push(id)
    model.held.delete(id)
    handles.delete(id)
    runs.forget(id)
  })

const lose = (id: string) =>
  command(`lose(${id})`, ({ held }, { runs }) => {
    const known = held.get(id)
    if (known) stop(known, 'lost')
    runs.lose([id])
  })

const close = command('close', ({ held }, { runs }) => {
  for (const known of held.values()) if (!busy.includes(known.phase)) stop(known, 'drained')
  runs.close()
  expect(runs.closing).toBe(true)
})

const stopAll = command('stopAll', ({ held }, { runs }) => {
  for (const known of held.values()) stop(known, 'drained')
  runs.stopAll()
})

const takeLetGo = command('takeLetGo', (model, { runs }) => {
  expect(runs.takeLetGo()).toEqual(model.letGo)
  model.letGo = []
})

const id = fc.constantFrom(...ids)
const phase = fc.constantFrom<Phase>('waiting', 'queued', 'running', 'storing', 'retrying')
const commands = [
  id.map((one) => hold(one, true)),
  id.map((one) => hold(one, false)),
  fc.tuple(id, phase).map(([one, next]) => enter(one, next)),
  id.map(forget),
  id.map(lose),
  fc.constant(close),
  fc.constant(stopAll),
  fc.constant(takeLetGo),
]

test('held runs are renewed, stopped and given back as what they are: leased, lost, our own', () => {
  fc.assert(
    fc.property(fc.commands(commands, { maxCommands: 60, size: 'max' }), (steps) => {
      const setUp = () => ({
        model: { held: new Map<string, Known>(), letGo: [] },
        real: { runs: new HeldRuns(), handles: new Map<string, HeldRun>() },
      })
      fc.modelRun(setUp, steps)
    }),
    { numRuns: 300 },
  )
})
