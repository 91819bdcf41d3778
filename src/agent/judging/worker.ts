import { parentPort } from 'node:worker_threads'
import type { AssertionResult } from '../../contract/assertion.ts'
import type { Evaluation } from '../../rules/assertions/evaluate.ts'
import { evaluationOf, judgementOf } from '../../rules/judge.ts'
import { toReport } from '../../runner/report.ts'
import type { JudgingJob, JudgingNews, Step } from './messages.ts'

type Tell = (news: JudgingNews) => void

/** The judging's own thread: what it is at is told before it begins, so that whoever ends it knows what it was. */
function conclude({ definition, outcome, known }: JudgingJob, tell: Tell): void {
  begin('shared', tell)
  const evaluation = evaluationOf(definition, outcome)
  const assertions = Array.from(
    { length: evaluation.count },
    (_, index) => known[index] ?? evaluate(evaluation, index, tell),
  )
  begin('report', tell)
  tell({
    kind: 'reported',
    report: toReport(definition, outcome, judgementOf(definition, outcome, assertions)),
  })
}

function evaluate(evaluation: Evaluation, index: number, tell: Tell): AssertionResult {
  evaluation.prepare(index)
  begin(index, tell)
  const result = evaluation.evaluate(index)
  tell({ kind: 'evaluated', index, result })
  return result
}

function begin(step: Step, tell: Tell): void {
  const { user, system } = process.threadCpuUsage()
  tell({ kind: 'began', step, cpuMs: (user + system) / 1000 })
}

const port = parentPort
if (port) {
  const tell: Tell = (news) => port.postMessage(news)
  port.on('message', (job: JudgingJob) => {
    try {
      conclude(job, tell)
    } catch (error) {
      tell({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
    }
  })
}
