import type { HttpEvidence } from '../../contract/checks/http-observation.ts'
import type { HttpCheckType } from '../../contract/checks/http-types.ts'
import type { OutcomeOf } from '../../contract/outcome.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import { ApiReader } from '../assertions/api-sources.ts'
import { evaluationOver, nothingToEvaluate } from '../assertions/evaluate.ts'
import { httpRequestOf } from '../http-request.ts'
import { attemptSecrets } from '../redaction/attempt-secrets.ts'
import type { TypeRules } from './type-rules.ts'

/** Of every check that is one HTTP request. */
export const httpRules: TypeRules<HttpCheckType> = {
  isAnswered: (_, { kind }) => kind === 'observed',
  evaluation: ({ request }, outcome) =>
    outcome.kind === 'observed'
      ? evaluationOver(
          httpRequestOf(request).assertions,
          new ApiReader(outcome.observation, outcome.timings.totalUs / 1000),
        )
      : nothingToEvaluate,
  faults,
  blemishes: () => [],
  measures: () => ({}),
  statusCode: ({ response }) => response?.status ?? null,
  certificateDays: ({ tls }) => tls?.daysRemaining ?? null,
  addresses: ({ hops }) => hops.at(-1)?.addresses ?? [],
  secrets: ({ request, variables }, known) =>
    attemptSecrets({ request: httpRequestOf(request), variables }, known),
  textLength,
  answerLength: ({ response }) => response?.body?.length ?? 0,
}

/** A request that was not completed is never a success, whatever `shouldFail` says (semantics §3). */
function faults({ shouldFail }: DefinitionOf<HttpCheckType>, outcome: OutcomeOf<HttpCheckType>): string[] {
  if (outcome.kind !== 'observed') return [outcome.cause.message]
  const { status } = outcome.observation.response
  const isError = status >= 400
  if (isError === shouldFail) return []
  return isError
    ? [`the response status ${status} is 400 or above`]
    : [`the response status ${status} is below 400, and shouldFail expects 400 or above`]
}

function textLength({ request, response, hops }: HttpEvidence): number {
  let length = request.body.length + request.url.length + lengthOfHeaders(request.headers)
  if (response) length += (response.body?.length ?? 0) + lengthOfHeaders(response.headers)
  for (const { url } of hops) length += url.length
  return length
}

function lengthOfHeaders(headers: Readonly<Record<string, string | readonly string[]>>): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? '').length
  return length
}
