import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import type { Verdict } from '../../src/contract/verdict.ts'
import { agentCapabilities, agentId, resultOf } from './agent-messages.ts'
import { apiCheckBody } from './api-checks.ts'
import type { TestService } from './test-service.ts'

/** An agent of the test service, and checks for it. */
export const onDemand = (service: TestService) => ({
  createCheck: async (body: Record<string, unknown> = {}): Promise<string> =>
    (await service.api('POST', '/v1/checks/api', apiCheckBody(body))).json().id,

  /** What it may carry out now, or as soon as there is something. */
  claim: async (claim: { slots?: number; waitMs?: number; agentId?: string } = {}): Promise<Run[]> => {
    const payload = { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0, ...claim }
    return (await service.agent('claims', payload)).json<ClaimResponse>().runs
  },

  report: (run: Run, state: Verdict['state'], overrides: Partial<Result> = {}) =>
    service.agent('results', {
      agentId,
      results: [resultOf(run, service.clock.now(), state, overrides)],
    }),
})
