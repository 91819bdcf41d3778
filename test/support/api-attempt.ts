import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createRunCheck, type RunnerOptions } from '../../src/runner/run-check.ts'
import { apiDefinition } from './api-definition.ts'

type Outcome = OutcomeOf<'API'>
type Observed = Extract<Outcome, { kind: 'observed' }>
type Failed = Exclude<Outcome, Observed>

interface AttemptOptions extends Partial<RunnerOptions> {
  readonly signal?: AbortSignal
}

/** One attempt at one request by the real runner. */
export function attempt(
  url: string,
  request: Partial<ApiRequest> = {},
  { signal = new AbortController().signal, ...options }: AttemptOptions = {},
  check: Partial<DefinitionOf<'API'>> = {},
): Promise<Outcome> {
  const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3', ...options })
  return run({ ...apiDefinition(url, request), ...check }, signal)
}

export async function observe(...args: Parameters<typeof attempt>): Promise<Observed> {
  const outcome = await attempt(...args)
  if (outcome.kind !== 'observed') throw new Error(`not observed: ${outcome.cause.class}`)
  return outcome
}

export async function fail(...args: Parameters<typeof attempt>): Promise<Failed> {
  const outcome = await attempt(...args)
  if (outcome.kind === 'observed') throw new Error(`observed status ${outcome.observation.response.status}`)
  return outcome
}
