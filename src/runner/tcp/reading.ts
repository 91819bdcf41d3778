import type { TcpReceived } from '../../contract/checks/tcp/observation.ts'
import type { TcpRequest } from '../../contract/checks/tcp/request.ts'
import type { AppError } from '../../lib/app-error.ts'
import { type DataState, dataStateOf } from '../../rules/assertions/tcp-sources.ts'
import { BodyAllowance } from '../body-allowance.ts'
import type { BodyMemory } from '../body-memory.ts'
import { BodyPieces } from '../body-pieces.ts'
import { askOfNothing } from './ask-of-nothing.ts'

/** No more of a target's data is read. */
const maxBytes = 1024 * 1024
/** A target that is silent for so long has said what it had to say: a lost packet comes again sooner. */
const idleMs = 1000
/** Bytes that all assertions together look at, again and again as more come: then it takes too long to look at once more. */
const maxLookedAt = 8 * 1024 * 1024

type Ending = Exclude<TcpReceived['ending'], 'target' | 'not-asked'> | 'deadline'

/** What a target sends, as long as it can make a difference to what is asserted on it. */
export class Reading {
  readonly #assertions: TcpRequest['assertions']
  /** Assertions on the data, and the characters that they compare it with. */
  readonly #wanted: number
  readonly #comparedWith: number
  readonly #onOver: (ending: Ending) => void
  readonly #pieces = new BodyPieces(maxBytes)
  readonly #allowance: BodyAllowance
  #deadline: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #lookedAt = 0

  constructor(assertions: TcpRequest['assertions'], memory: BodyMemory, onOver: (ending: Ending) => void) {
    this.#assertions = assertions
    const ofData = assertions.filter(({ source }) => source === 'RESPONSE_DATA')
    this.#wanted = ofData.length
    this.#comparedWith = ofData.reduce((sum, { target }) => sum + target.length, 0)
    this.#onOver = onOver
    this.#allowance = new BodyAllowance(memory)
  }

  /** Something is asserted on the data. */
  get isWanted(): boolean {
    return this.#wanted > 0
  }

  get bytes(): number {
    return this.#pieces.bytes
  }

  begin(deadlineMs: number): void {
    this.#deadline = setTimeout(() => this.#onOver('deadline'), deadlineMs)
  }

  /** Null, or our own fault. */
  take(chunk: Buffer): AppError | null {
    const before = this.#pieces.bytes
    this.#pieces.add(chunk, 0, chunk.length)
    const fault = this.#allowance.use(this.#pieces.bytes - before)
    if (fault) return fault
    if (this.#pieces.capped) this.#onOver('limit')
    else if (this.state() === 'decided') this.#onOver('decided')
    else this.#awaitMore()
    return null
  }

  /** What the assertions make of what came so far. */
  state(): DataState | null {
    this.#lookedAt += this.#pieces.bytes * this.#wanted + this.#comparedWith
    if (this.#lookedAt > maxLookedAt) return 'enough'
    const isNothing = this.#pieces.bytes === 0
    return dataStateOf(isNothing ? this.#assertions.map(askOfNothing) : this.#assertions, this.#text())
  }

  end(ending: TcpReceived['ending']): TcpReceived {
    const { bytes, capped } = this.#pieces
    return { data: this.#text(), dataBytes: bytes, truncated: capped, ending }
  }

  stop(): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#idle)
  }

  #awaitMore(): void {
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.#onSilence(), idleMs)
  }

  /** Where something is missing yet, the target has the rest of its time. */
  #onSilence(): void {
    if (this.state() !== 'missing') this.#onOver('idle')
  }

  #text(): string {
    return Buffer.concat(this.#pieces.end()).toString('utf8')
  }
}
