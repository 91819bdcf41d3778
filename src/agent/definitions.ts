import { maxRunsAClaim } from '../contract/agent-protocol.ts'
import type { CheckDefinition, Run } from '../contract/run.ts'
import type { ServiceClient } from './service-client.ts'

export interface DefinitionsOptions {
  readonly fetch: ServiceClient['definitions']
  /** More than this many, and those not used for longest are forgotten. */
  readonly maxHeld?: number
}

/**
 * Check definitions travel once: they are kept by check and version, and fetched when a run names a version that is
 * not here. One that is newer than what a run names serves it, too: the service gives no older ones.
 */
export class Definitions {
  readonly #fetch: ServiceClient['definitions']
  readonly #maxHeld: number
  #reserved = 0
  /** The least recently used first. */
  readonly #held = new Map<string, CheckDefinition>()

  constructor(options: DefinitionsOptions) {
    this.#fetch = options.fetch
    this.#maxHeld = options.maxHeld ?? 10_000
  }

  /** Null when it has to be fetched, or when there is none. */
  find({ checkId, version }: Pick<Run, 'checkId' | 'version'>): CheckDefinition | null {
    const definition = this.#held.get(checkId)
    if (!definition || definition.version < version) return null
    this.#held.delete(checkId)
    this.#held.set(checkId, definition)
    return definition
  }

  /** Whether this version, or a newer one, is here. */
  holds({ checkId, version }: Pick<Run, 'checkId' | 'version'>): boolean {
    return (this.#held.get(checkId)?.version ?? 0) >= version
  }

  /** So many are kept besides those that others ask for: what the agent may have to run by itself. */
  reserve(count: number): void {
    this.#reserved = count
  }

  /** Asks for all of these checks at once. One that does not exist any more is not there afterwards. */
  async fetch(checkIds: Iterable<string>, signal: AbortSignal): Promise<void> {
    const wanted = [...new Set(checkIds)]
    for (let start = 0; start < wanted.length; start += maxRunsAClaim) {
      const checks = wanted.slice(start, start + maxRunsAClaim)
      const { definitions } = await this.#fetch({ checkIds: checks }, signal)
      for (const checkId of checks) this.#held.delete(checkId)
      for (const definition of definitions) this.#held.set(definition.checkId, definition)
    }
    for (const checkId of this.#held.keys()) {
      if (this.#held.size <= this.#maxHeld + this.#reserved) return
      this.#held.delete(checkId)
    }
  }
}
