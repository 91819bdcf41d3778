import type { Kysely } from 'kysely'
import {
  TestSessionList,
  type TestSessionListEntry,
  TestSessionListQuery,
} from '../../../contract/resources/test-session.ts'
import { parseInstant } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { listRunsOfSessions } from '../../../storage/session-runs.ts'
import { listTestSessionsAfter } from '../../../storage/sessions.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { type Cursor, cursorList, readFilteredPart } from '../../http/cursor-list.ts'
import { filtersOf, passes } from './list-filter.ts'
import { toListEntry } from './to-resource.ts'

function instant(name: 'from' | 'to', text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseInstant(text)
  if (ms !== null) return ms
  const fault = `"${name}" must be a UNIX timestamp or an ISO 8601 date`
  throw inputInvalid([{ path: name, text: fault }], 'query')
}

interface ListOptions {
  readonly db: Kysely<Schema>
  readonly path: string
  readonly tags: string[]
}

interface Found {
  readonly session: Schema['sessions']
  /** Null where the query asks for others. */
  readonly entry: TestSessionListEntry | null
}

/** Reads sessions behind a cursor, newest first. */
function readerOf(db: Kysely<Schema>, accountId: string, query: TestSessionListQuery) {
  const { textSearch: search } = query
  const window = { from: instant('from', query.from), to: instant('to', query.to), search }
  const filters = filtersOf(db, query)
  return async (after: Cursor | null, limit: number): Promise<Found[]> => {
    const cursor = after && { startedAt: after.at, id: after.id }
    const sessions = await listTestSessionsAfter(db, accountId, window, cursor, limit)
    const ids = sessions.map(({ id }) => id)
    const runsOf = Map.groupBy(await listRunsOfSessions(db, ids), ({ sessionId }) => sessionId)
    const found: Found[] = []
    for (const session of sessions) {
      const runs = runsOf.get(session.id) ?? []
      const entry = toListEntry(session, runs)
      found.push({ session, entry: (await passes(filters, { entry, runs })) ? entry : null })
    }
    return found
  }
}

/** The account's tests, newest first, from cursor to cursor. */
export function listRoute(app: App, { db, path, tags }: ListOptions): void {
  app.get(
    path,
    { schema: { tags, querystring: TestSessionListQuery, response: { 200: TestSessionList } } },
    async (request) => {
      const { query } = request
      const part = await readFilteredPart(query, readerOf(db, accountOf(request), query), {
        cursorOf: ({ session }) => ({ at: session.startedAt, id: session.id }),
        wanted: ({ entry }) => entry,
      })
      return cursorList(part, (entry) => entry)
    },
  )
}
