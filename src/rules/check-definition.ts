import type { ApiCheck } from '../contract/checks/api/check.ts'
import type { CheckDefinition } from '../contract/run.ts'

/** What an agent needs of a check to run and judge it. */
export function definitionOf(
  check: ApiCheck,
  identity: Pick<CheckDefinition, 'checkId' | 'version' | 'variables' | 'clientCertificates'>,
): CheckDefinition {
  return {
    ...identity,
    type: 'API',
    name: check.name,
    shouldFail: check.shouldFail,
    degradedResponseTimeMs: check.degradedResponseTime,
    maxResponseTimeMs: check.maxResponseTime,
    retryStrategy: check.retryStrategy ?? null,
    doubleCheck: check.doubleCheck,
    request: check.request,
  }
}
