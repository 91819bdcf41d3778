import type { ClaimRequest } from '../../contract/agent-protocol.ts'
import type { Clock } from '../../lib/clock.ts'
import { seeAgent } from '../../storage/agents.ts'
import type { Database } from '../../storage/database.ts'
import { flagOf } from '../../storage/tables/flag.ts'
import type { AgentPrincipal } from '../http/authentication.ts'

/** A busy agent asks for runs many times a second: once in this time is often enough to know that it is there. */
const noteEveryMs = 5000
const maxRemembered = 10_000

/** Notes which agents ask for runs, and what they can do. */
export class AgentsSeen {
  readonly #database: Database
  readonly #clock: Clock
  /** By agent and what it said of itself: an upgrade is noted at once. */
  readonly #notedAt = new Map<string, number>()

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  async note(agent: AgentPrincipal, { agentId, capabilities }: ClaimRequest): Promise<void> {
    const now = this.#clock.now()
    const key = JSON.stringify([agent.keyId, agentId, capabilities])
    if (now - (this.#notedAt.get(key) ?? 0) < noteEveryMs) return
    await seeAgent(this.#database.kysely, {
      id: agentId,
      accountId: agent.accountId,
      location: agent.location,
      embedded: flagOf(agent.embedded),
      version: capabilities.version,
      flavour: capabilities.flavour,
      checkTypes: JSON.stringify(capabilities.checkTypes),
      runtimes: JSON.stringify(capabilities.runtimes),
      platform: capabilities.platform,
      runtimeVersion: capabilities.runtimeVersion,
      firstSeenAt: now,
      lastSeenAt: now,
    })
    if (this.#notedAt.size >= maxRemembered) this.#notedAt.clear()
    this.#notedAt.set(key, now)
  }
}
