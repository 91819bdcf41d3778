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

/** Of rows that nobody asked for: an answer has fewer entries than it may, or none, rather than look through all there are. */
const mostPassedOver = 500

/**
 * As readCursorPart, of the rows that `wanted` makes something of. The part may be short, or empty, although more is
 * behind it.
 */
export async function readFilteredPart<T, W>(
  { limit, nextId }: CursorQuery,
  read: (after: Cursor | null, limit: number) => Promise<T[]>,
  { cursorOf, wanted }: { cursorOf: (row: T) => Cursor; wanted: (row: T) => W | null },
): Promise<CursorPart<W>> {
  const rows: W[] = []
  let part = await readCursorPart<T>(nextId === undefined ? { limit } : { limit, nextId }, read, cursorOf)
  for (let lookedThrough = part.rows.length; ; lookedThrough += part.rows.length) {
    const found = part.rows.map((row) => ({ row, made: wanted(row) })).filter(({ made }) => made !== null)
    const taken = found.slice(0, limit - rows.length)
    rows.push(...taken.flatMap(({ made }) => (made === null ? [] : [made])))
    const last = taken.at(-1)
    if (last && rows.length === limit && last.row !== part.rows.at(-1))
      return { rows, nextId: encodeCursor(cursorOf(last.row)) }
    if (part.nextId === null || rows.length === limit || lookedThrough >= mostPassedOver)
      return { rows, nextId: part.nextId }
    part = await readCursorPart({ limit, nextId: part.nextId }, read, cursorOf)
  }
}

/** The answer that shows the part. */
export const cursorList = <T, E>({ rows, nextId }: CursorPart<T>, toEntry: (row: T) => E) => ({
  length: rows.length,
  entries: rows.map(toEntry),
  nextId,
})

/**
 * As cursorList, but the part ends early where its entries would be more than `mostCharacters` of JSON, though never
 * before one: the next part begins there.
 */
export async function boundedCursorList<T, E>(
  part: CursorPart<T>,
  toEntry: (row: T) => Promise<E>,
  { cursorOf, mostCharacters }: { cursorOf: (row: T) => Cursor; mostCharacters: number },
): Promise<{ length: number; entries: E[]; nextId: string | null }> {
  const entries: E[] = []
  let last: T | undefined
  let characters = 0
  for (const row of part.rows) {
    // One by one: all of them are never in memory at once.
    const entry = await toEntry(row)
    characters += JSON.stringify(entry).length
    if (last !== undefined && characters > mostCharacters)
      return { length: entries.length, entries, nextId: encodeCursor(cursorOf(last)) }
    entries.push(entry)
    last = row
  }
  return { length: entries.length, entries, nextId: part.nextId }
}

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
