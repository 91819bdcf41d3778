import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { ClientCertificate } from '../../src/contract/client-certificate.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type BodyMemory, unboundedMemory } from '../../src/runner/body-memory.ts'
import type { Dial } from '../../src/runner/dial/dial.ts'
import type { HttpSeen } from '../../src/runner/http/conclude.ts'
import { createHttpCheck, type HttpCheckOptions } from '../../src/runner/http/run-http-check.ts'
import { apiDefinition } from './api-definition.ts'

interface AttemptOverOptions extends Partial<HttpCheckOptions> {
  readonly dial: Dial
  readonly memory?: BodyMemory
  readonly clientCertificates?: readonly ClientCertificate[]
  readonly signal?: AbortSignal
}

/** One attempt at one request by the real runner, over connections of the test's own making. */
export function attemptOver(
  url: string,
  request: Partial<ApiRequest>,
  options: AttemptOverOptions,
): Promise<HttpSeen> {
  const { memory = unboundedMemory, signal = new AbortController().signal, clientCertificates = [] } = options
  const run = createHttpCheck({
    clock: systemClock,
    userAgent: 'Picket/1.2.3',
    templates: { now: () => 0, uuid: () => 'a-uuid', random: () => 0 },
    attemptMs: 30_000,
    maxBodyBytes: 25 * 1024 * 1024,
    ...options,
  })
  const definition = { ...apiDefinition(url, request), clientCertificates: [...clientCertificates] }
  return run(definition, signal, { memory })
}
