import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { tcpDefinition } from '../../test/support/tcp-attempt.ts'

/** The check of a target: of TCP where its URL says `tcp:`, else an API check with these assertions. */
export function definitionOf(url: string, assertions: ApiRequest['assertions'] = []): CheckDefinition {
  const { protocol, port } = new URL(url)
  return protocol === 'tcp:' ? tcpDefinition(Number(port)) : apiDefinition(url, { assertions })
}
