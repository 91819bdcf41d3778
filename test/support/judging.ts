import type { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { createJudging, type JudgingOptions } from '../../src/agent/judging/judging.ts'
import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { Report } from '../../src/runner/report.ts'
import { apiDefinition } from './api-definition.ts'

export type Assertion = ApiRequest['assertions'][number]

/** A judging that ends with the test. `threads`: every one that was started meanwhile. */
export function setUpJudging(options?: JudgingOptions) {
  const judging = createJudging(options)
  const threads: Worker[] = []
  const onWorker = (worker: Worker) => threads.push(worker)
  process.on('worker', onWorker)
  onTestFinished(async () => {
    process.off('worker', onWorker)
    await judging.close()
  })
  return { ...judging, threads }
}

/** That the body is text, unless told otherwise. */
export const assertion = (fields: Partial<Assertion>): Assertion => ({
  source: 'TEXT_BODY',
  comparison: 'NOT_NULL',
  property: '',
  target: '',
  regex: null,
  ...fields,
})

export const asserting = (...assertions: Assertion[]) => apiDefinition('http://target.test/', { assertions })

export const statusIs200 = assertion({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' })

/** Against the bait, this tries more ways than there are atoms. */
export const catastrophe = '^(a+)+$'
export const bait = `${'a'.repeat(60)}!`

export const messagesOf = ({ assertions }: Report) => assertions.map(({ message }) => message)
