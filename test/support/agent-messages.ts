import type { Capabilities } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import type { Verdict } from '../../src/contract/verdict.ts'

export const agentId = '11111111-1111-4111-8111-111111111111'
export const otherAgentId = '22222222-2222-4222-8222-222222222222'

export const agentCapabilities: Capabilities = {
  version: '1.0.0',
  flavour: 'full',
  checkTypes: ['API'],
  runtimes: [],
  platform: 'linux',
  runtimeVersion: 'v26',
}

/** A final result of a run, as an agent sends it, carried out at `at` (epoch ms) in 12.5 ms. */
export function resultOf(
  run: Run,
  at: number,
  state: Verdict['state'],
  overrides: Partial<Result> = {},
): Result {
  const attempt = overrides.attempt ?? run.attempt
  return {
    id: resultIdOf(run.id, attempt),
    runId: run.id,
    checkId: run.checkId,
    version: run.version,
    location: run.location,
    dueAt: run.dueAt,
    attempt,
    resultType: 'FINAL',
    retryAt: null,
    retryElsewhere: false,
    startedAt: at,
    stoppedAt: at + 12,
    queueUs: 300,
    conclusion: {
      kind: 'judged',
      outcome: {
        type: 'API',
        kind: 'observed',
        timings: {
          startedAt: at,
          totalUs: 12_500,
          phasesUs: { dns: null, connect: 500, tls: null, send: 100, firstByte: 11_000, download: 900 },
        },
        observation: {
          request: { method: 'GET', url: 'http://127.0.0.1:9/?a=1', headers: {}, body: '' },
          response: {
            status: 200,
            statusText: 'OK',
            httpVersion: '1.1',
            headers: { 'content-type': 'text/plain' },
            body: 'hello',
            bodyBytes: 5,
            truncated: false,
          },
          hops: [],
          tls: null,
        },
      },
      assertions: [],
      verdict: {
        state,
        overMaxResponseTime: false,
        overDegradedResponseTime: state === 'degraded',
        reasons: state === 'passing' ? [] : ['because'],
      },
    },
    ...overrides,
  }
}

export const passingResult = (run: Run, at: number): Result => resultOf(run, at, 'passing')
