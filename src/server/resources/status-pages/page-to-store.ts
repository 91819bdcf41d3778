import type { CardBody, StatusPageBody } from '../../../contract/resources/status-page.ts'
import { newId } from '../../../lib/ids.ts'
import { type ViewKey, viewKeysFor } from '../../secrets/view-keys.ts'
import type { Card, Page } from './page.ts'
import { assertLinks, themeColorsOf } from './page-faults.ts'
import { idsOf } from './services.ts'

/** The page that a body asks for, in the place of `previous`. @throws ApiError 400 */
export function pageToStore(
  { cards, keys, themeColors, ...body }: StatusPageBody,
  fresh: ViewKey,
  now: number,
  previous?: Page,
): Page {
  assertLinks(body)
  return {
    ...body,
    themeColors: themeColorsOf(themeColors),
    cards: cardsToStore(cards ?? [], previous?.cards ?? [], now),
    keys: viewKeysFor(body.isPrivate, previous?.keys ?? [], fresh, keys && idsOf(keys)),
  }
}

/** A card that is sent back with its id stays what it was; any other is a new one, whatever id it has. */
function cardsToStore(cards: readonly CardBody[], previous: readonly Card[], now: number): Card[] {
  const before = new Map(previous.map((card) => [card.id, card]))
  return cards.map(({ id, name, services }) => {
    const sent = { name, serviceIds: idsOf(services) }
    const known = before.get(id ?? '')
    if (!known) return { id: newId(), ...sent, createdAt: now, updatedAt: null }
    before.delete(known.id)
    return isSame(known, sent) ? known : { ...known, ...sent, updatedAt: now }
  })
}

const isSame = (card: Card, { name, serviceIds }: Pick<Card, 'name' | 'serviceIds'>) =>
  card.name === name && JSON.stringify(card.serviceIds) === JSON.stringify(serviceIds)
