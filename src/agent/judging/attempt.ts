import type { AssertionResult } from '../../contract/assertion.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import type { Assertion } from '../../rules/assertions/assertion.ts'
import { readsAnswer, unboundedPart } from '../../rules/assertions/cost.ts'
import { unevaluated } from '../../rules/assertions/evaluate.ts'
import { isAnswered } from '../../rules/judge.ts'
import type { TimeOuts } from './time-outs.ts'
import { assertionMs, attemptMs, type Ending, type Overrun } from './work.ts'

const slow = (assertion: Assertion) =>
  `its ${unboundedPart(assertion) ?? 'comparison'} took longer than ${assertionMs} ms`
const slowTogether = `the assertions of this check took longer than ${attemptMs} ms together`
const twice = 'twice in a row'
const barred = 'not tried again for 5 minutes'

/** What is known of an attempt's assertions while it is judged in the thread. */
export class Attempt {
  /** Of each assertion in its order; null where it is not known yet. */
  readonly known: (AssertionResult | null)[]
  readonly #identity: string
  readonly #assertions: readonly Assertion[]
  readonly #timeOuts: TimeOuts
  /** What time-outs are remembered by: of an assertion, of them all. */
  readonly #tried: readonly string[]
  /** Of those, what ran out of time or was given up. */
  readonly #late = new Set<string>()
  #leftMs = attemptMs
  #turns = 0

  constructor(definition: CheckDefinition, outcome: Outcome, timeOuts: TimeOuts) {
    const { checkId, version, request } = definition
    this.#identity = `${checkId} ${version}`
    this.#assertions = isAnswered(definition, outcome) ? request.assertions : []
    this.#timeOuts = timeOuts
    this.known = this.#assertions.map((assertion, index) => this.#knownBefore(assertion, index))
    const tried = [...this.known.keys()].filter((index) => this.known[index] === null)
    const all = tried.length === this.known.length ? [this.#identity] : []
    this.#tried = [...tried.map((index) => this.#key(index)), ...all]
  }

  /** Milliseconds of work, before those that are not known yet are given up. */
  get leftMs(): number {
    return this.#leftMs
  }

  /** It had a turn before. */
  get isBegun(): boolean {
    return this.#turns > 0
  }

  /** Others have their turn: it goes on later. */
  pause({ chargedMs }: Ending): void {
    this.#turns += 1
    this.#leftMs -= chargedMs
  }

  /** The thread was ended for this: what took too long does not hold. */
  runOut({ of, step, chargedMs }: Overrun): void {
    this.#turns += 1
    this.#leftMs -= chargedMs
    if (of === 'step' && typeof step === 'number') this.#giveUp(step, slow, this.#key(step))
    if (of === 'step' && this.#leftMs > 0) return
    for (const index of this.known.keys()) this.#giveUp(index, () => slowTogether, this.#identity)
  }

  /** All is known: what was tried and came in time has not run out twice in a row. */
  done(): void {
    const inTime = this.#tried.filter((key) => !this.#late.has(key))
    for (const key of inTime) this.#timeOuts.wasInTime(key)
  }

  #knownBefore(assertion: Assertion, index: number): AssertionResult | null {
    if (this.#timeOuts.isBarred(this.#key(index)))
      return unevaluated(assertion, `${slow(assertion)} ${twice}, and is ${barred}`)
    const isCostly = unboundedPart(assertion) !== null || readsAnswer(assertion)
    if (isCostly && this.#timeOuts.isBarred(this.#identity))
      return unevaluated(assertion, `${slowTogether} ${twice}, and are ${barred}`)
    return null
  }

  #giveUp(index: number, reason: (assertion: Assertion) => string, key: string): void {
    const assertion = this.#assertions[index]
    if (!assertion || this.known[index] !== null) return
    this.known[index] = unevaluated(assertion, reason(assertion))
    if (!this.#late.has(key)) this.#timeOuts.ranOut(key)
    this.#late.add(key).add(this.#key(index))
  }

  #key(index: number): string {
    return `${this.#identity} ${index}`
  }
}
