import type { OutcomeOf } from '../../contract/outcome.ts'
import { evidenceOf } from '../../contract/outcome.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import { evaluationOver, nothingToEvaluate } from '../assertions/evaluate.ts'
import { TcpReader } from '../assertions/tcp-sources.ts'
import { markedSecrets } from '../redaction/marked-secrets.ts'
import type { TypeRules } from './type-rules.ts'

export const tcpRules: TypeRules<'TCP'> = {
  isAnswered,
  evaluation: (definition, outcome) =>
    isAnswered(definition, outcome)
      ? evaluationOver(
          definition.request.assertions,
          new TcpReader(evidenceOf(outcome), outcome.timings.totalUs / 1000),
        )
      : nothingToEvaluate,
  faults,
  blemishes: () => [],
  measures: ({ timings }) => {
    const { send, firstByte, download } = timings.phasesUs
    const dataUs = [send, firstByte, download].filter((us) => us !== null)
    return dataUs.length === 0 ? {} : { data: dataUs.reduce((sum, us) => sum + us, 0) / 1000 }
  },
  statusCode: () => null,
  certificateDays: () => null,
  addresses: ({ addresses }) => addresses,
  secrets: ({ variables }) => markedSecrets(variables),
  textLength: ({ hostname, received }) => hostname.length + (received?.data.length ?? 0),
  answerLength: ({ received }) => received?.data.length ?? 0,
}

/** A refusal is the answer that `shouldFail` expects (semantics §3). */
function isAnswered({ shouldFail }: DefinitionOf<'TCP'>, outcome: OutcomeOf<'TCP'>): boolean {
  return outcome.kind === 'observed' || (shouldFail && outcome.cause.class === 'refused')
}

function faults(definition: DefinitionOf<'TCP'>, outcome: OutcomeOf<'TCP'>): string[] {
  if (outcome.kind !== 'observed') return isAnswered(definition, outcome) ? [] : [outcome.cause.message]
  return definition.shouldFail
    ? ['the target accepted the connection, and shouldFail expects it to be refused']
    : []
}
