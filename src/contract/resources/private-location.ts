import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateText, DateTimeText } from '../wire-time.ts'

/** Must not look like a data-center location; immutable (semantics §1). */
const slugPattern =
  '^((?!((us(-gov)?|ap|ca|cn|eu|sa|af|me)-(central|(north|south)?(east|west)?)-\\d+))[a-zA-Z0-9-]{1,30})$'

const Name = Text({ minLength: 1, maxLength: 255 })
const Icon = Text({ default: 'location', maxLength: 100 })
const ProxyUrl = Nullable(Text({ maxLength: 2048 }), { default: null })

export const PrivateLocationCreate = Type.Object({
  name: Name,
  slugName: Type.String({ pattern: slugPattern }),
  icon: Icon,
  proxyUrl: ProxyUrl,
})
export const PrivateLocationUpdate = Type.Object({
  name: Name,
  icon: Icon,
  proxyUrl: ProxyUrl,
})

/** `rawKey` is the key itself in the answer that creates it, and the masked form ever after. */
export const PrivateLocationKey = Type.Object({
  id: Type.String(),
  rawKey: Type.String(),
  maskedKey: Type.String(),
  created_at: DateText,
  updated_at: Nullable(DateText),
})
export type PrivateLocationKey = Static<typeof PrivateLocationKey>

const locationFields = {
  id: Type.String(),
  name: Type.String(),
  slugName: Type.String(),
  icon: Type.String(),
  created_at: DateText,
  updated_at: Nullable(DateText),
  keys: Type.Array(PrivateLocationKey),
  proxyUrl: Nullable(Type.String()),
}

/** The answer of create and update. */
export const PrivateLocationBare = Type.Object(locationFields)

const RunningAgent = Type.Object({
  version: Type.String(),
  count: Type.Integer(),
  agents: Type.Array(Type.Object({ id: Type.String(), lastSeenAt: DateTimeText })),
})

/** Ours: whether checks run there, and since when that is so. */
const LocationStatus = Type.Object({
  state: OneOf(['available', 'ill', 'unavailable'], {
    description:
      'ill: most runs end for a fault of its agents, and say nothing of their targets; unavailable: no agent asks for runs, and none are planned',
  }),
  reason: Nullable(
    Type.String({ description: 'also of an available one, where checks wait for agents that can run them' }),
  ),
  since: Nullable(DateTimeText),
})

export const PrivateLocation = Type.Object({
  ...locationFields,
  lastSeen: Nullable(DateText),
  agentCount: Nullable(Type.Integer()),
  minAgentVersion: Type.Optional(Nullable(Type.String())),
  runningAgents: Type.Optional(Type.Array(RunningAgent)),
  status: LocationStatus,
})
export type PrivateLocation = Static<typeof PrivateLocation>

/** Three lists of one length: a sample a minute. */
export const PrivateLocationMetrics = Type.Object({
  timestamps: Type.Array(Type.String()),
  queueSize: Type.Array(Type.Number()),
  oldestScheduledCheckRun: Type.Array(
    Type.Number({ description: 'age of the oldest waiting run, in seconds' }),
  ),
})
