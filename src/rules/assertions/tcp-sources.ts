import type { Comparison } from '../../contract/assertion.ts'
import type { TcpEvidence } from '../../contract/checks/tcp/observation.ts'
import type { TcpRequest } from '../../contract/checks/tcp/request.ts'
import { comparer } from './compare.ts'
import { narrow, one, type Reader, type Reading, unreadable } from './reading.ts'

type TcpAssertion = Readonly<TcpRequest['assertions'][number]>

/** Reads the sources of TCP checks (semantics §1). */
export class TcpReader implements Reader<TcpAssertion> {
  readonly #received: TcpEvidence['received']
  readonly #responseTimeMs: number

  constructor({ received }: Pick<TcpEvidence, 'received'>, responseTimeMs: number) {
    this.#received = received
    this.#responseTimeMs = responseTimeMs
  }

  prepare(): void {}

  read({ source, property }: TcpAssertion): Reading {
    switch (source) {
      case 'RESPONSE_TIME':
        return one(this.#responseTimeMs)
      case 'RESPONSE_DATA':
        return this.#received ? narrow(this.#received.data, property) : unreadable('there was no connection')
    }
  }
}

/**
 * What the assertions make of data that may go on. decided: they hold, whatever follows. enough: they hold, or it takes
 * too long to say so, and what follows may change that. missing: one does not hold yet.
 */
export type DataState = 'decided' | 'enough' | 'missing'

const worst: readonly DataState[] = ['missing', 'enough', 'decided']

/** Of a text that only grows: what once held holds for ever. */
const lasting: ReadonlySet<Comparison> = new Set(['CONTAINS', 'NOT_EMPTY', 'NOT_NULL', 'IS_NULL'])

/** Null where nothing is asserted on the data: then none need be waited for. */
export function dataStateOf(assertions: readonly TcpAssertion[], data: string): DataState | null {
  const states = assertions
    .filter(({ source }) => source === 'RESPONSE_DATA')
    .map((assertion) => stateOf(assertion, data))
  return worst.find((state) => states.includes(state)) ?? null
}

/** A regular expression may take any time: of a text with something in it, it is not asked here. */
function stateOf({ comparison, property, target }: TcpAssertion, data: string): DataState {
  if (property !== '') return data === '' ? emptyState(comparison, property, target) : 'enough'
  if (!comparer(comparison, target)(data)) return 'missing'
  return lasting.has(comparison) ? 'decided' : 'enough'
}

function emptyState(comparison: Comparison, pattern: string, target: string): DataState {
  const reading = narrow('', pattern)
  const holds = comparer(comparison, target)
  return reading.kind === 'values' && reading.values.every(holds) ? 'enough' : 'missing'
}
