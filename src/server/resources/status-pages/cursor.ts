import type { Cursor } from '../../http/cursor-list.ts'
import type { Collection, Stored } from '../../stored/collection.ts'

export const cursorOf = ({ createdAt, id }: Stored<unknown>): Cursor => ({ at: createdAt, id })

/** Reads the resources of an account behind a cursor, newest first. */
export const readBehind =
  <T>(collection: Collection<T>, accountId: string) =>
  (after: Cursor | null, limit: number): Promise<Stored<T>[]> =>
    collection.listAfter(accountId, after && { createdAt: after.at, id: after.id }, limit)
