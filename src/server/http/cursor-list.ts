import { inputInvalid } from './api-error.ts'

/** The last row of a part, which the next part begins behind: by the instant that orders the list, then by id. */
export interface Cursor {
  /** Epoch milliseconds. */
  readonly at: number
  readonly id: string
}

export interface CursorQuery {
  readonly limit: number
  readonly nextId?: string
}

interface CursorPart<T> {
  readonly rows: T[]
  readonly nextId: string | null
}

/**
 * The part of a list that a query asks for. `read` gives up to `limit` rows behind the cursor, in order.
 * @throws ApiError 400 when nextId is not one of ours
 */
export async function readCursorPart<T>(
  { limit, nextId }: CursorQuery,
  read: (after: Cursor | null, limit: number) => Promise<T[]>,
  cursorOf: (row: T) => Cursor,
): Promise<CursorPart<T>> {
  const found = await read(nextId === undefined || nextId === '' ? null : decodeCursor(nextId), limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextId: last && found.length > limit ? encodeCursor(cursorOf(last)) : null }
}

/** The answer that shows the part. */
export const cursorList = <T, E>({ rows, nextId }: CursorPart<T>, toEntry: (row: T) => E) => ({
  length: rows.length,
  entries: rows.map(toEntry),
  nextId,
})

function encodeCursor({ at, id }: Cursor): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

function decodeCursor(text: string): Cursor {
  const match = /^(\d{1,16}) ([0-9a-zA-Z-]{1,40})$/.exec(Buffer.from(text, 'base64url').toString())
  const [, at, id] = match ?? []
  if (at === undefined || id === undefined) {
    throw inputInvalid(
      [{ path: 'nextId', text: '"nextId" must be the nextId of an earlier answer' }],
      'query',
    )
  }
  return { at: Number(at), id }
}
