import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { ApiRequest } from './checks/api/request.ts'
import { DnsEvidence, DnsObservation } from './checks/dns/observation.ts'
import { DnsRequest } from './checks/dns/request.ts'
import { HttpEvidence, HttpObservation } from './checks/http-observation.ts'
import { IcmpEvidence, IcmpObservation } from './checks/icmp/observation.ts'
import { IcmpRequest } from './checks/icmp/request.ts'
import { TcpEvidence, TcpObservation } from './checks/tcp/observation.ts'
import { TcpRequest } from './checks/tcp/request.ts'
import { UrlRequest } from './checks/url/request.ts'
import { Nullable, OneOf } from './schema.ts'

/** Every type of a listing (service.md, shared value sets). */
export const checkTypeNames = [
  'AGENTIC',
  'API',
  'BROWSER',
  'HEARTBEAT',
  'ICMP',
  'MULTI_STEP',
  'TCP',
  'PLAYWRIGHT',
  'URL',
  'DNS',
] as const
export const CheckTypeName = OneOf(checkTypeNames)
export type CheckTypeName = Static<typeof CheckTypeName>

interface TypeSchemas {
  readonly request: TSchema
  /** What else of a check of this type an agent must know. */
  readonly settings: TObject
  readonly observation: TObject
  /** How far an attempt came that observed nothing. */
  readonly evidence: TObject
}

const none = Type.Object({})
const Percent = Nullable(Type.Number())
const http = { observation: HttpObservation, evidence: HttpEvidence }

/** The types that an agent can carry out. */
export const checkTypes = {
  API: { request: ApiRequest, settings: none, ...http },
  DNS: { request: DnsRequest, settings: none, observation: DnsObservation, evidence: DnsEvidence },
  HEARTBEAT: { request: ApiRequest, settings: none, ...http },
  ICMP: {
    request: IcmpRequest,
    settings: Type.Object({ degradedPacketLossThreshold: Percent, maxPacketLossThreshold: Percent }),
    observation: IcmpObservation,
    evidence: IcmpEvidence,
  },
  TCP: { request: TcpRequest, settings: none, observation: TcpObservation, evidence: TcpEvidence },
  URL: { request: UrlRequest, settings: none, ...http },
} as const satisfies Partial<Record<CheckTypeName, TypeSchemas>>

export type CheckType = keyof typeof checkTypes
export type RequestOf<T extends CheckType> = Static<(typeof checkTypes)[T]['request']>
export type SettingsOf<T extends CheckType> = Static<(typeof checkTypes)[T]['settings']>
export type ObservationOf<T extends CheckType> = Static<(typeof checkTypes)[T]['observation']>
export type EvidenceOf<T extends CheckType> = Static<(typeof checkTypes)[T]['evidence']>

// The keys of a const object are exactly its type's keys.
export const runnableTypes = Object.keys(checkTypes) as CheckType[]

/** Whether any agent can carry out checks of this type; one of the others is kept, and has no runs. */
export const isRunnable = (type: CheckTypeName): type is CheckType => Object.hasOwn(checkTypes, type)
