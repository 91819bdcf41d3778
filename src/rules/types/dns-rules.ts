import type { DnsEvidence, DnsObservation } from '../../contract/checks/dns/observation.ts'
import { DnsReader, responseCodeFaults } from '../assertions/dns-sources.ts'
import { evaluationOver, nothingToEvaluate } from '../assertions/evaluate.ts'
import { markedSecrets } from '../redaction/marked-secrets.ts'
import type { TypeRules } from './type-rules.ts'

export const dnsRules: TypeRules<'DNS'> = {
  isAnswered: (_, { kind }) => kind === 'observed',
  evaluation: ({ request }, outcome) =>
    outcome.kind === 'observed'
      ? evaluationOver(request.assertions, new DnsReader(outcome.observation, outcome.timings.totalUs / 1000))
      : nothingToEvaluate,
  faults: ({ request }, outcome) =>
    outcome.kind === 'observed'
      ? responseCodeFaults(outcome.observation, request.assertions)
      : [outcome.cause.message],
  blemishes: () => [],
  measures: () => ({}),
  statusCode: () => null,
  certificateDays: () => null,
  addresses: ({ addresses }) => addresses,
  secrets: ({ variables }) => markedSecrets(variables),
  textLength: (known) => known.question.name.length + 3 * answerLength(known),
  answerLength,
}

/** The answer is there as text and as JSON, which is longer. */
function answerLength(known: DnsEvidence | DnsObservation): number {
  return 'response' in known ? known.response.text.length : 0
}
