import { parentPort, workerData } from 'node:worker_threads'
import type { AssertionResult } from '../../contract/assertion.ts'
import type { Evaluation } from '../../rules/assertions/evaluate.ts'
import { evaluationOf, judgementOf } from '../../rules/judge.ts'
import { toReport } from '../../runner/report.ts'
import type { JudgingJob, JudgingNews, Step } from './messages.ts'
import { sliceMs } from './work.ts'

interface Listener {
  readonly tell: (news: JudgingNews) => void
  /** Whether another check waits for the thread. */
  readonly othersWait: () => boolean
}

/** The judging's own thread: what it is at is told before it begins, so that whoever ends it knows what it was. */
function conclude({ definition, outcome, known }: JudgingJob, { tell, othersWait }: Listener): void {
  begin('shared', tell)
  const evaluation = evaluationOf(definition, outcome)
  const assertions: AssertionResult[] = []
  let workedMs = 0
  for (let index = 0; index < evaluation.count; index += 1) {
    const before = known[index]
    if (!before && workedMs >= sliceMs && othersWait()) {
      tell({ kind: 'paused', cpuMs: cpuMs() })
      return
    }
    const { result, tookMs } = before ? { result: before, tookMs: 0 } : evaluate(evaluation, index, tell)
    assertions.push(result)
    workedMs += tookMs
  }
  begin('report', tell)
  const report = toReport(definition, outcome, judgementOf(definition, outcome, assertions))
  tell({ kind: 'reported', report, cpuMs: cpuMs() })
}

function evaluate(
  evaluation: Evaluation,
  index: number,
  tell: Listener['tell'],
): { readonly result: AssertionResult; readonly tookMs: number } {
  evaluation.prepare(index)
  const begunMs = begin(index, tell)
  const result = evaluation.evaluate(index)
  const endedMs = cpuMs()
  tell({ kind: 'evaluated', index, result, cpuMs: endedMs })
  return { result, tookMs: endedMs - begunMs }
}

function begin(step: Step, tell: Listener['tell']): number {
  const begunMs = cpuMs()
  tell({ kind: 'began', step, cpuMs: begunMs })
  return begunMs
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const port = parentPort
const shared: unknown = workerData
if (port && shared instanceof Int32Array) {
  const tell = (news: JudgingNews) => port.postMessage(news)
  const othersWait = () => Atomics.load(shared, 0) === 1
  port.on('message', (job: JudgingJob) => {
    try {
      conclude(job, { tell, othersWait })
    } catch (error) {
      tell({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
    }
  })
}
