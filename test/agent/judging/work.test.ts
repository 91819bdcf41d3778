import { describe, expect, test } from 'vitest'
import type { Step } from '../../../src/agent/judging/messages.ts'
import { Work } from '../../../src/agent/judging/work.ts'

/** Work of which 5000 ms are allowed, begun when its thread had worked for 100 ms. */
function begunWork(step?: Step, cpuMs = 100, again = false) {
  const work = new Work({ known: [null, null], allowedMs: 5000, again })
  work.take({ kind: 'began', step: 'shared', cpuMs: 100 })
  if (step !== undefined) work.take({ kind: 'began', step, cpuMs })
  return work
}

test.each<[Step, began: number, now: number, of: 'step' | 'attempt' | null]>([
  [1, 100, 1100, null],
  [1, 100, 1101, 'step'],
  [1, 4500, 5100, null],
  [1, 4500, 5101, 'attempt'],
  ['shared', 100, 5100, null],
  ['shared', 100, 5101, 'attempt'],
  ['report', 5100, 15_100, null],
  ['report', 5100, 15_101, 'step'],
])(
  'what is at %s since %i ms of its thread, which is at %i ms, is over the time of its %s',
  (step, began, now, of) => {
    const overrun = of && { kind: 'ran-out', of, step, workMs: now - 100, chargedMs: now - 100 }
    expect(begunWork(step, began).overrun(now)).toEqual(overrun)
  },
)

test('takes no time that its thread worked for before', () => {
  const work = new Work({ known: [], allowedMs: 5000, again: false })
  expect(work.overrun(1_000_000)).toBeNull()
  work.take({ kind: 'began', step: 'shared', cpuMs: 1_000_000 })
  expect(work.overrun(1_000_100)).toBeNull()
})

const given = { source: 'STATUS_CODE', comparison: 'IS_NULL', property: '', target: '', regex: null } as const
const result = { ...given, actual: null, holds: true, message: null }

test('does not charge to an assertion what comes after its end', () => {
  const work = begunWork(0)
  work.take({ kind: 'evaluated', index: 0, result, cpuMs: 200 })
  expect(work.overrun(2000)).toBeNull()
})

describe('a later turn of an attempt', () => {
  /** Half a second on what assertions share, then 300 ms on one, then on what assertions share again. */
  function laterTurn(again: boolean) {
    const work = begunWork(0, 600, again)
    work.take({ kind: 'evaluated', index: 0, result, cpuMs: 900 })
    return work
  }

  test.each([
    ['done for the first time', false, 850],
    ['done again', true, 300],
  ])(
    'is charged with what is not done again: what assertions share is %s',
    async (_what, again, chargedMs) => {
      const work = laterTurn(again)
      work.take({ kind: 'paused', cpuMs: 950 })
      expect(await work.ended).toEqual({ kind: 'paused', workMs: 850, chargedMs })
    },
  )

  test('has no more than five seconds for that either', () => {
    const work = laterTurn(true)
    expect(work.overrun(5400)).toBeNull()
    expect(work.overrun(5401)).toMatchObject({
      kind: 'ran-out',
      of: 'attempt',
      step: 'shared',
      chargedMs: 300,
    })
  })
})

test('is ended when its thread says nothing for two hundred looks, whatever it is at', () => {
  const silence = (work: Work, looks: number) => Array.from({ length: looks }, () => work.silence()).at(-1)
  const work = begunWork(1)
  expect(silence(work, 200)).toBeNull()
  work.take({ kind: 'began', step: 1, cpuMs: 200 })
  expect(silence(work, 200)).toBeNull()
  expect(work.silence()).toEqual({ kind: 'ran-out', of: 'step', step: 1, workMs: 5000, chargedMs: 5000 })
  expect(silence(new Work({ known: [], allowedMs: 5000, again: false }), 201)).toMatchObject({
    step: 'start',
  })
})
