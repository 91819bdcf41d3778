import type { Kysely } from 'kysely'
import type {
  StatusPageSubscription,
  StatusPageSubscriptionCounts,
} from '../../../contract/resources/status-page-subscription.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { newId } from '../../../lib/ids.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import { countDocuments, findDocument } from '../../../storage/documents.ts'
import type { Schema } from '../../../storage/schema.ts'
import { addSubscriptions, takenSubscriptionKeys } from '../../../storage/status-page-subscriptions.ts'
import { ApiError, found, inputInvalid } from '../../http/api-error.ts'
import { Collection, type Stored } from '../../stored/collection.ts'
import type { StatusPageOptions } from './options.ts'

const kind = 'status-page-subscription'
const mostOfPage = 5000

/** Whoever may change the page answers for those it is sent to: they need not confirm. */
const status = 'VERIFIED'

export interface Subscription {
  readonly address: string
}

export type SubscriptionCollection = Collection<Subscription>

export const subscriptionCollection = (options: StatusPageOptions): SubscriptionCollection =>
  new Collection(options, { kind, what: 'subscription', ids: 'uuid', most: mostOfPage })

export const subscriptionResource = ({
  id,
  definition,
  createdAt,
  updatedAt,
}: Stored<Subscription>): StatusPageSubscription => ({
  id,
  type: 'EMAIL',
  address: definition.address,
  status,
  created_at: dateTimeText(createdAt),
  updated_at: dateTimeText(updatedAt ?? createdAt),
})

/** One mailbox and nothing else: no display name, no list, no line break that could end a header of a mail. */
const mailAddress = /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cs}]{1,64}@[^\s"(),:;<>@[\\\]\p{Cc}\p{Cs}]+$/u

/** @throws ApiError 400 */
export function assertMailAddresses(addresses: readonly string[]): void {
  const faults = addresses.flatMap((address, index): Fault[] => {
    const path = `subscriptions[${index}].config`
    if (mailAddress.test(address)) return []
    return [{ path, text: `"${path}" must be an e-mail address, was ${JSON.stringify(address)}` }]
  })
  if (faults.length > 0) throw inputInvalid(faults.slice(0, 20))
}

/** An address has one subscription of a page, in whichever case it is written. */
const keyOf = (pageId: string, address: string) => `${pageId} ${address.toLowerCase()}`

/** Subscribes those that are not subscribed yet, all or none. @throws ApiError 404, 409 */
export function subscribe(
  { database, clock }: StatusPageOptions,
  accountId: string,
  pageId: string,
  addresses: readonly string[],
): Promise<StatusPageSubscriptionCounts> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    found(await findDocument(db, { kind: 'status-page', accountId }, pageId), 'status page')
    const wanted = new Map(addresses.toReversed().map((address) => [keyOf(pageId, address), address]))
    for (const key of await takenSubscriptionKeys(db, [...wanted.keys()])) wanted.delete(key)
    await assertRoom(db, accountId, pageId, wanted.size)
    const createdAt = clock.now()
    await addSubscriptions(
      db,
      [...wanted].map(([key, address]) => ({
        key,
        row: {
          kind,
          id: newId(),
          accountId,
          parentId: pageId,
          definition: JSON.stringify({ address } satisfies Subscription),
          createdAt,
          updatedAt: null,
        },
      })),
    )
    return { created: wanted.size, skipped: addresses.length - wanted.size, status }
  })
}

async function assertRoom(db: Kysely<Schema>, accountId: string, parentId: string, more: number) {
  if (more === 0 || (await countDocuments(db, { kind, accountId, parentId })) + more <= mostOfPage) return
  throw new ApiError('CONFLICT', `A status page has at most ${mostOfPage} subscriptions: delete some first`)
}
