import type { CheckTypeName } from '../../contract/check-types.ts'
import type { TestSessionMetadata } from '../../contract/resources/test-session.ts'
import type { RetryStrategy } from '../../contract/retry-strategy.ts'
import type { Variable } from '../../contract/variable.ts'
import type { Sealer } from '../../lib/sealing.ts'
import type { Schema } from '../../storage/schema.ts'
import { sealedPlaces } from '../secrets/sealed-places.ts'

/** What a test session keeps beside its columns. */
export interface TestFacts {
  readonly runLocation: string
  readonly metadata: TestSessionMetadata
  /** Undefined: each check's own. */
  readonly retryStrategy?: RetryStrategy | null
  /** Sealed whole: clients send secrets there without calling them so. Null when there are none. */
  readonly variables: string | null
  /** The checks as they were called, by the ids of their runs. */
  readonly checks: readonly {
    readonly runId: string
    readonly checkId: string
    readonly name: string
    readonly checkType: CheckTypeName
  }[]
}

type SessionRow = Pick<Schema['sessions'], 'id' | 'definition'>

/** The column was written by startTest and is written nowhere else. */
export const testFactsOf = ({ definition }: SessionRow): TestFacts => JSON.parse(definition) as TestFacts

export function sealTestVariables(
  sealer: Sealer,
  sessionId: string,
  variables: readonly Variable[],
): string | null {
  if (variables.length === 0) return null
  return sealer.seal(JSON.stringify(variables), sealedPlaces.variablesOfSession(sessionId))
}

/** For whoever runs the tests. @throws AppError SECRET_UNREADABLE */
export function openTestVariables(sealer: Sealer, session: SessionRow): Variable[] {
  const { variables } = testFactsOf(session)
  if (variables === null) return []
  return JSON.parse(sealer.open(variables, sealedPlaces.variablesOfSession(session.id))) as Variable[]
}
