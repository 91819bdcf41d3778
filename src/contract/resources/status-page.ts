import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'
import { StatusPageIncident } from './status-page-incident.ts'
import { ServiceReference, StatusPageService } from './status-page-service.ts'
import { ThemeColors, ThemeColorsBody } from './status-page-theme.ts'

const name = Text({ minLength: 1, maxLength: 255 })
const textOrNull = (maxLength: number) => Nullable(Text({ maxLength }), { default: null })
const Link = textOrNull(2048)

const CardBody = Type.Object({
  id: Type.Optional(Text({ maxLength: 100 })),
  name,
  services: Type.Array(ServiceReference, { default: [], maxItems: 50 }),
})
export type CardBody = Static<typeof CardBody>

/** What is the same in what is sent and in what comes back (service.md, status page). */
const plain = {
  name,
  url: Text({ minLength: 1, maxLength: 255 }),
  description: textOrNull(500),
  customDomain: textOrNull(255),
  logo: Link,
  redirectTo: Link,
  favicon: Link,
  defaultTheme: OneOf(['LIGHT', 'DARK', 'AUTO'], { default: 'AUTO' }),
  isPrivate: Type.Boolean({ default: false }),
}

/** `keys` may name those that a private page is to keep: all when left out, and a fresh one where none is left. */
export const StatusPageBody = Type.Object({
  ...plain,
  themeColors: ThemeColorsBody,
  cards: Nullable(Type.Array(CardBody, { maxItems: 50 })),
  keys: Type.Optional(Type.Array(Type.Object({ id: Text({ maxLength: 100 }) }), { maxItems: 100 })),
})
export type StatusPageBody = Static<typeof StatusPageBody>

const Card = Type.Object({
  id: Type.String(),
  name,
  services: Type.Array(StatusPageService),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})

/** Opens a private page. */
const PageKey = Type.Object({
  id: Type.String(),
  rawKey: Type.Optional(Type.String({ description: 'only in the answer to the request that made it' })),
  maskedKey: Type.String(),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})

export const StatusPage = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  ...plain,
  themeColors: Nullable(ThemeColors),
  cards: Type.Array(Card),
  keys: Type.Array(PageKey),
  whiteLabel: Type.Boolean({ description: 'always true: a page bears no brand but that of its owner' }),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type StatusPage = Static<typeof StatusPage>

/** In a list a page says what happened to its services: the newest incidents, each with its newest update. */
export const ListedStatusPage = Type.Object({
  ...StatusPage.properties,
  incidents: Type.Array(StatusPageIncident),
})
export type ListedStatusPage = Static<typeof ListedStatusPage>
