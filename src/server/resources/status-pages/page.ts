import type { StatusPage, StatusPageBody } from '../../../contract/resources/status-page.ts'
import type { ThemeColors } from '../../../contract/resources/status-page-theme.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { FreshViewKey, ViewKey } from '../../secrets/view-keys.ts'
import type { Stored } from '../../stored/collection.ts'
import { type ServicesById, servicesNamed } from './services.ts'

export interface Card {
  readonly id: string
  readonly name: string
  readonly serviceIds: readonly string[]
  /** Epoch milliseconds, both. */
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** As it is stored. */
export interface Page extends Omit<StatusPageBody, 'cards' | 'keys' | 'themeColors'> {
  readonly themeColors: ThemeColors | null
  readonly cards: readonly Card[]
  readonly keys: readonly ViewKey[]
}

/** Those that its cards show; one may be there more than once. */
export const serviceIdsOf = ({ cards }: Page): string[] => cards.flatMap(({ serviceIds }) => serviceIds)

/** With the text of a key only where the key is the fresh one. */
export function pageResource(
  { id, accountId, definition, createdAt, updatedAt }: Stored<Page>,
  services: ServicesById,
  fresh?: FreshViewKey,
): StatusPage {
  return {
    ...definition,
    id,
    accountId,
    cards: definition.cards.map((card) => cardResource(card, services)),
    keys: definition.keys.map((key) => keyResource(key, fresh)),
    whiteLabel: true,
    created_at: dateTimeText(createdAt),
    updated_at: dateTimeTextOrNull(updatedAt),
  }
}

const cardResource = (card: Card, services: ServicesById): StatusPage['cards'][number] => ({
  id: card.id,
  name: card.name,
  services: servicesNamed(services, card.serviceIds),
  created_at: dateTimeText(card.createdAt),
  updated_at: dateTimeTextOrNull(card.updatedAt),
})

const keyResource = (
  { id, masked, createdAt }: ViewKey,
  fresh: FreshViewKey | undefined,
): StatusPage['keys'][number] => ({
  id,
  ...(id === fresh?.key.id && { rawKey: fresh.rawKey }),
  maskedKey: masked,
  created_at: dateTimeText(createdAt),
  updated_at: null,
})
