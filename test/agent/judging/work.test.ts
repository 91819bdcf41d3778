import { expect, test } from 'vitest'
import type { Step } from '../../../src/agent/judging/messages.ts'
import { Work } from '../../../src/agent/judging/work.ts'

/** Work of which 5000 ms are allowed, begun when its thread had worked for 100 ms. */
function begunWork(step?: Step, cpuMs = 100) {
  const work = new Work([null, null], 5000)
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
    const overrun = of && { kind: 'ran-out', of, step, workMs: now - 100 }
    expect(begunWork(step, began).overrun(now)).toEqual(overrun)
  },
)

test('takes no time that its thread worked for before', () => {
  const work = new Work([], 5000)
  expect(work.overrun(1_000_000)).toBeNull()
  work.take({ kind: 'began', step: 'shared', cpuMs: 1_000_000 })
  expect(work.overrun(1_000_100)).toBeNull()
})

test('does not charge to an assertion what comes after its end', () => {
  const work = begunWork(0)
  const result = {
    source: 'STATUS_CODE',
    comparison: 'IS_NULL',
    property: '',
    target: '',
    regex: null,
  } as const
  work.take({ kind: 'evaluated', index: 0, result: { ...result, actual: null, holds: true, message: null } })
  expect(work.overrun(2000)).toBeNull()
})

test('is ended when its thread says nothing for two hundred looks, whatever it is at', () => {
  const silence = (work: Work, looks: number) => Array.from({ length: looks }, () => work.silence()).at(-1)
  const work = begunWork(1)
  expect(silence(work, 200)).toBeNull()
  work.take({ kind: 'began', step: 1, cpuMs: 200 })
  expect(silence(work, 200)).toBeNull()
  expect(work.silence()).toEqual({ kind: 'ran-out', of: 'step', step: 1, workMs: 5000 })
  expect(silence(new Work([], 5000), 201)).toMatchObject({ step: 'start' })
})
