import type { Run } from '../contract/run.ts'
import { Bell } from './bell.ts'

/** waiting: for its dueAt; queued: for a slot; storing: its result is on the way to the disk. */
export type HeldPhase = 'waiting' | 'queued' | 'running' | 'storing' | 'retrying'

export interface HeldRun {
  readonly run: Run
  readonly stop: AbortController
  phase: HeldPhase
  /** False for one that this agent planned by itself: the service has nothing to renew or to take back. */
  leased: boolean
}

/** Why a run was stopped. Nothing is said about its target. */
const lost = new Error('the lease of this run was lost')
const drained = new Error('the agent is stopping')

/** An attempt is being made, or its result is on the way to the disk. */
const busy: ReadonlySet<HeldPhase> = new Set(['running', 'storing'])

/** The runs that this agent has a lease on, or planned by itself. */
export class HeldRuns {
  readonly #held = new Map<string, HeldRun>()
  readonly #onRoom: () => void
  readonly #whenEmpty = new Bell()
  readonly #letGo: string[] = []
  #closing = false

  /** @param onRoom told when there is room for another run */
  constructor(onRoom: () => void = () => {}) {
    this.#onRoom = onRoom
  }

  get size(): number {
    return this.#held.size
  }

  has({ id }: Pick<Run, 'id'>): boolean {
    return this.#held.has(id)
  }

  /** Of those that it has a lease on. */
  get leasedIds(): string[] {
    return [...this.#held.values()].flatMap(({ run, leased }) => (leased ? run.id : []))
  }

  /** As they are held now: one that is given back and comes again is another. */
  get snapshot(): ReadonlyMap<string, HeldRun> {
    return new Map(this.#held)
  }

  /** No attempt begins any more. */
  get closing(): boolean {
    return this.#closing
  }

  /** Null when it is held already: the service gives a run again whose lease it believes ended, or that was our own. */
  hold(run: Run): HeldRun | null {
    const known = this.#held.get(run.id)
    if (known) known.leased = true
    return known ? null : this.#add(run, true)
  }

  /** One that nobody gave. Null when it is held already. */
  holdOwn(run: Run): HeldRun | null {
    return this.#held.has(run.id) ? null : this.#add(run, false)
  }

  forget(runId: string): void {
    const held = this.#held.get(runId)
    if (held?.leased && held.stop.signal.reason === drained) this.#letGo.push(runId)
    this.#held.delete(runId)
    this.#onRoom()
    if (this.#held.size === 0) this.#whenEmpty.ring()
  }

  /** The run waits for its next attempt, which takes no room. */
  awaitRetry(held: HeldRun): void {
    held.phase = 'retrying'
    this.#onRoom()
  }

  count(...phases: readonly HeldPhase[]): number {
    let count = 0
    for (const { phase } of this.#held.values()) if (phases.includes(phase)) count += 1
    return count
  }

  /** These are not ours any more, as they were held when that was asked. */
  lose(runIds: readonly string[], heldSince: ReadonlyMap<string, HeldRun> = this.#held): void {
    for (const runId of runIds) heldSince.get(runId)?.stop.abort(lost)
  }

  /** Lets go of every run that is not being carried out right now. */
  close(): void {
    this.#closing = true
    for (const held of this.#held.values()) if (!busy.has(held.phase)) held.stop.abort(drained)
  }

  /** Lets go of every run, also in the middle of an attempt. */
  stopAll(): void {
    for (const { stop } of this.#held.values()) stop.abort(drained)
  }

  /** The runs that were let go since it was asked last: to be given back to the service. */
  takeLetGo(): string[] {
    return this.#letGo.splice(0)
  }

  #add(run: Run, leased: boolean): HeldRun {
    const held: HeldRun = { run, stop: new AbortController(), phase: 'waiting', leased }
    this.#held.set(run.id, held)
    return held
  }

  /** Resolves when no run is held any more, or when the signal ends the wait; never rejects. */
  async empty(signal: AbortSignal): Promise<void> {
    while (this.#held.size > 0 && !signal.aborted) await this.#whenEmpty.wait(signal)
  }
}
