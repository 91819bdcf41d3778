import { type Static, Type } from 'typebox'
import { runnableTypes } from './check-types.ts'
import type { Result } from './result.ts'
import { CheckDefinition, Run } from './run.ts'
import { RuntimeId, runtimeIds } from './runtime-ids.ts'
import { EpochMs, Nullable, OneOf, Text, Uuid } from './schema.ts'

/** What an agent can do: it is never sent anything else. */
export const Capabilities = Type.Object({
  version: Text({ maxLength: 100 }),
  flavour: OneOf(['full', 'uptime']),
  checkTypes: Type.Array(OneOf(runnableTypes), {
    minItems: 1,
    maxItems: runnableTypes.length,
    uniqueItems: true,
  }),
  runtimes: Type.Array(RuntimeId, { maxItems: runtimeIds.length, uniqueItems: true }),
  platform: Text({ maxLength: 100 }),
  runtimeVersion: Text({ maxLength: 100, description: 'Node.js version' }),
})
export type Capabilities = Static<typeof Capabilities>

export const maxRunsAClaim = 1000
/** A run is leased for this long and belongs to another agent afterwards, unless the lease is renewed (semantics §5). */
export const leaseMs = 60_000
/** Runs due within this time may be claimed ahead, to be fired at their dueAt. */
export const claimAheadMs = 2000

const RunIds = Type.Array(Uuid, { maxItems: 10_000 })

/** POST /agent/v1/claims: answered as soon as there is a run, or empty after `waitMs`. */
export const ClaimRequest = Type.Object({
  agentId: Uuid,
  capabilities: Capabilities,
  slots: Type.Integer({ minimum: 1, maximum: maxRunsAClaim }),
  waitMs: Type.Integer({ minimum: 0, maximum: 30_000 }),
  begins: Type.Optional(
    Type.Boolean({ description: 'its process has just begun: whatever runs the one before it had are free' }),
  ),
})
export type ClaimRequest = Static<typeof ClaimRequest>
export const ClaimResponse = Type.Object({
  serverTime: EpochMs,
  proxyUrl: Nullable(
    Type.String({ description: 'the way to the targets of this location, credentials in it' }),
  ),
  runs: Type.Array(Run),
})
export type ClaimResponse = Static<typeof ClaimResponse>

/** POST /agent/v1/definitions: a check that no longer exists is left out of the answer. */
export const DefinitionsRequest = Type.Object({
  checkIds: Type.Array(Uuid, { minItems: 1, maxItems: maxRunsAClaim }),
})
export type DefinitionsRequest = Static<typeof DefinitionsRequest>
export const DefinitionsResponse = Type.Object({ definitions: Type.Array(CheckDefinition) })
export type DefinitionsResponse = Static<typeof DefinitionsResponse>

/** POST /agent/v1/leases: `lost` are runs that this agent must let go, because they are done, deleted or another's. */
export const RenewRequest = Type.Object({ agentId: Uuid, runIds: RunIds })
export type RenewRequest = Static<typeof RenewRequest>
export const RenewResponse = Type.Object({ serverTime: EpochMs, lost: RunIds })
export type RenewResponse = Static<typeof RenewResponse>

/** POST /agent/v1/releases: gives runs back unfinished; nothing is said about their targets. */
export const ReleaseRequest = Type.Object({ agentId: Uuid, runIds: RunIds })
export type ReleaseRequest = Static<typeof ReleaseRequest>
export const ReleaseResponse = Type.Object({ released: Type.Integer({ minimum: 0 }) })
export type ReleaseResponse = Static<typeof ReleaseResponse>

export const maxResultsAnUpload = 500

/**
 * POST /agent/v1/results. Each record is judged by itself: a poison record is refused by its index and never blocks
 * the others. Sending one again changes nothing.
 */
export const ResultsRequest = Type.Object({
  agentId: Uuid,
  results: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: maxResultsAnUpload,
    description: 'of Result',
  }),
})
export interface ResultsRequest {
  readonly agentId: string
  readonly results: readonly Result[]
}
export const ResultsResponse = Type.Object({
  accepted: Type.Integer({ minimum: 0 }),
  refused: Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }), reason: Type.String() })),
})
export type ResultsResponse = Static<typeof ResultsResponse>

/** POST /agent/v1/error-reports: these five fields and no others, ever (service.md, Events). */
export const ErrorReport = Type.Object({
  message: Text({ maxLength: 2000 }),
  stack: Text({ maxLength: 20_000 }),
  agentVersion: Text({ maxLength: 100 }),
  platform: Text({ maxLength: 100 }),
  runtimeVersion: Text({ maxLength: 100 }),
})
export type ErrorReport = Static<typeof ErrorReport>
