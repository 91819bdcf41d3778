import { type Static, Type } from 'typebox'
import { type CheckType, checkTypes, type RequestOf, runnableTypes, type SettingsOf } from './check-types.ts'
import { ClientCertificate } from './client-certificate.ts'
import { RetryStrategy } from './retry-strategy.ts'
import { EpochMs, Nullable, Uuid } from './schema.ts'
import { Variable } from './variable.ts'

export const Location = Type.String({
  minLength: 1,
  maxLength: 30,
  description: 'data-center id or private-location slug',
})

/** One slot (check, location, dueAt) to be carried out, as leased to an agent. */
export const Run = Type.Object({
  id: Uuid,
  checkId: Uuid,
  version: Type.Integer({ minimum: 1, description: 'of the check definition' }),
  location: Location,
  dueAt: EpochMs,
  intervalMs: Type.Integer({ minimum: 1000 }),
  attempt: Type.Integer({ minimum: 1, description: 'the attempt to make now' }),
  attemptAt: Type.Integer({
    minimum: 0,
    description: 'epoch ms of when to make it: dueAt, or later for a retry',
  }),
  firstStartedAt: Nullable(EpochMs, { description: 'when the first attempt began; null before it' }),
})
export type Run = Static<typeof Run>

const definitionFields = {
  checkId: Uuid,
  version: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  shouldFail: Type.Boolean(),
  degradedResponseTimeMs: Nullable(Type.Number()),
  maxResponseTimeMs: Nullable(Type.Number()),
  retryStrategy: Nullable(RetryStrategy),
  doubleCheck: Type.Boolean(),
  retriesElsewhere: Type.Boolean({
    default: false,
    description: 'its retries belong to another of its locations (semantics §4): the service says which',
  }),
  variables: Type.Array(Variable, {
    description: "the check's own over its group's over the account's (semantics §6): no key twice",
  }),
  clientCertificates: Type.Array(ClientCertificate, { description: 'the newest first' }),
}

const Definition = Type.Object(definitionFields)

const definitionSchema = (type: CheckType) =>
  Type.Object({
    type: Type.Literal(type),
    ...definitionFields,
    request: checkTypes[type].request,
    settings: checkTypes[type].settings,
  })

/** The definition of a check of one type, or of one of several. */
export type DefinitionOf<T extends CheckType = CheckType> = {
  [K in T]: Static<typeof Definition> & {
    readonly type: K
    readonly request: RequestOf<K>
    readonly settings: SettingsOf<K>
  }
}[T]

/** What an agent must know of a check to run and judge it. The compiler cannot follow what is made of each type in turn. */
export const CheckDefinition = Type.Unsafe<DefinitionOf>(Type.Union(runnableTypes.map(definitionSchema)))
export type CheckDefinition = DefinitionOf
