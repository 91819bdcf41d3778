import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateText, DateTimeText } from '../wire-time.ts'

/** A part of a host name; empty where clients send an empty text for none. */
const CustomUrl = Type.String({
  maxLength: 63,
  pattern: '^[A-Za-z0-9-]*$',
  description: 'subdomain name, unique across all users',
})
const CustomDomain = Type.String({
  maxLength: 253,
  pattern: '^[A-Za-z0-9._-]*$',
  description: 'a domain of the user, without https://; unique across all users',
})
const Url = Text({ maxLength: 2048 })
const flag = (initial: boolean) => Type.Boolean({ default: initial })

/** Fields and defaults of service.md (Dashboard). Keys are made here: those that clients send back are ignored. */
export const DashboardBody = Type.Object({
  customDomain: Nullable(CustomDomain, { default: null }),
  customUrl: Type.Optional(CustomUrl),
  logo: Nullable(Url, { default: null }),
  favicon: Nullable(Url, { default: null }),
  link: Type.Optional(Nullable(Url)),
  description: Nullable(Text({ maxLength: 2000 }), { default: null }),
  header: Nullable(Text({ maxLength: 500 }), { default: null }),
  width: OneOf(['FULL', '960PX'], { default: 'FULL' }),
  refreshRate: OneOf([60, 300, 600], { default: 60, description: 'seconds' }),
  paginate: flag(true),
  paginationRate: OneOf([30, 60, 300], { default: 60, description: 'seconds' }),
  checksPerPage: Nullable(Type.Integer({ minimum: 1, maximum: 20 }), { default: 15 }),
  useTagsAndOperator: Nullable(Type.Boolean(), { default: false }),
  hideTags: flag(false),
  enableIncidents: flag(false),
  expandChecks: flag(false),
  tags: Type.Array(Text({ maxLength: 255 }), { default: [], maxItems: 100 }),
  showHeader: flag(true),
  showCheckRunLinks: flag(false),
  showGroupNames: flag(true),
  customCSS: Nullable(Text({ maxLength: 131_072 }), { default: '' }),
  isPrivate: flag(false),
  showP95: flag(true),
  showP99: flag(true),
})
export type DashboardBody = Static<typeof DashboardBody>

/** `rawKey` is the key itself in the answer that creates it, and the masked form ever after. */
const DashboardKey = Type.Object({
  id: Type.String(),
  rawKey: Type.String(),
  maskedKey: Type.String(),
  created_at: DateText,
  updated_at: Nullable(DateText),
})
export type DashboardKey = Static<typeof DashboardKey>

export const Dashboard = Type.Object({
  id: Type.Integer(),
  dashboardId: Type.String(),
  created_at: DateTimeText,
  ...DashboardBody.properties,
  keys: Type.Array(DashboardKey),
})
export type Dashboard = Static<typeof Dashboard>
