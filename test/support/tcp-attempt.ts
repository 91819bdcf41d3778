import type { TcpRequest } from '../../src/contract/checks/tcp/request.ts'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createRunCheck, type RunnerOptions } from '../../src/runner/run-check.ts'
import { apiDefinition } from './api-definition.ts'

type TcpAssertion = TcpRequest['assertions'][number]

/** A TCP check of one port of this machine, everything not named at its default. */
export function tcpDefinition(
  port: number,
  request: Partial<TcpRequest> = {},
  check: Partial<DefinitionOf<'TCP'>> = {},
): DefinitionOf<'TCP'> {
  const { type: _, request: __, ...fields } = apiDefinition('')
  const preset = { hostname: '127.0.0.1', port, data: null, ipFamily: 'IPv4', assertions: [] } as const
  return {
    ...fields,
    type: 'TCP',
    settings: {},
    request: { ...preset, assertions: [], ...request },
    ...check,
  }
}

/** On the data, unless told otherwise. */
export const tcpAssertion = (fields: Partial<TcpAssertion>): TcpAssertion => ({
  source: 'RESPONSE_DATA',
  comparison: 'CONTAINS',
  property: '',
  target: '',
  regex: null,
  ...fields,
})

/** One attempt at one TCP check by the real runner. */
export function attemptTcp(
  definition: DefinitionOf<'TCP'>,
  options: Partial<RunnerOptions> = {},
  signal = new AbortController().signal,
): Promise<OutcomeOf<'TCP'>> {
  const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3', ...options })
  return run(definition, signal)
}
