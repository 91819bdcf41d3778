import { evaluationOver, nothingToEvaluate } from '../assertions/evaluate.ts'
import { IcmpReader } from '../assertions/icmp-sources.ts'
import { packetLossBlemish, packetLossFault } from '../packet-loss.ts'
import { markedSecrets } from '../redaction/marked-secrets.ts'
import type { TypeRules } from './type-rules.ts'

/** Characters of the JSON of one ping. */
const pingLength = 100

export const icmpRules: TypeRules<'ICMP'> = {
  isAnswered: (_, { kind }) => kind === 'observed',
  evaluation: ({ request }, outcome) =>
    outcome.kind === 'observed'
      ? evaluationOver(request.assertions, new IcmpReader(outcome.observation))
      : nothingToEvaluate,
  faults: ({ settings }, outcome) =>
    outcome.kind === 'observed'
      ? given(packetLossFault(outcome.observation.packetLoss, settings))
      : [outcome.cause.message],
  blemishes: ({ settings }, outcome) =>
    outcome.kind === 'observed' ? given(packetLossBlemish(outcome.observation.packetLoss, settings)) : [],
  measures: ({ observation: { packetLoss, latency } }) => ({
    packetLoss,
    latencyMin: latency.min,
    latencyAvg: latency.avg,
    latencyMax: latency.max,
    latencyStdDev: latency.stdDev,
  }),
  statusCode: () => null,
  certificateDays: () => null,
  addresses: ({ addresses }) => addresses,
  secrets: ({ variables }) => markedSecrets(variables),
  textLength: ({ hostname, pingResults }) => hostname.length + pingLength * pingResults.length,
  answerLength: ({ pingResults }) => pingLength * pingResults.length,
}

const given = (sentence: string | null) => (sentence === null ? [] : [sentence])
