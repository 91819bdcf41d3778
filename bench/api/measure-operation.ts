import type { ChildProcess } from 'node:child_process'
import { ask, startChild } from '../support/child.ts'
import type { Answered, LoadQuestion } from './load.ts'
import type { Operation } from './operations.ts'
import type { Measurable } from './service.ts'
import { warmUpSeconds } from './settings.ts'

export interface OperationRate {
  readonly perSecond: number
  /** Of the process that answers. */
  readonly perCpuSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

type Load = Omit<LoadQuestion, 'url' | 'operation'>

export async function startLoad(): Promise<ChildProcess> {
  return (await startChild<object>(new URL('load.ts', import.meta.url))).process
}

/** Compiling, in the first seconds, is on nobody's account. */
export async function measureOperation(
  load: ChildProcess,
  target: Measurable,
  { name: operation }: Operation,
  { checks, busy, seconds }: Load,
): Promise<OperationRate> {
  const question = { url: target.url, operation, checks, busy }
  await ask<Answered>(load, { ...question, seconds: warmUpSeconds })
  const before = await target.spent()
  const answered = await ask<Answered>(load, { ...question, seconds })
  const after = await target.spent()
  return {
    perSecond: answered.requests / answered.seconds,
    perCpuSecond: answered.requests / (after.cpuSeconds - before.cpuSeconds),
    p50Ms: answered.p50Ms,
    p99Ms: answered.p99Ms,
  }
}
