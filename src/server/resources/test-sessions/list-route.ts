import type { Kysely } from 'kysely'
import { TestSessionList, TestSessionListQuery } from '../../../contract/resources/test-session.ts'
import { parseInstant } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { listRunsOfSessions } from '../../../storage/session-runs.ts'
import { listTestSessionsAfter } from '../../../storage/sessions.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { cursorList, readCursorPart } from '../../http/cursor-list.ts'
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

/** The account's tests, newest first, from cursor to cursor. */
export function listRoute(app: App, { db, path, tags }: ListOptions): void {
  app.get(
    path,
    { schema: { tags, querystring: TestSessionListQuery, response: { 200: TestSessionList } } },
    async (request) => {
      const { query } = request
      const filter = {
        from: instant('from', query.from),
        to: instant('to', query.to),
        search: query.textSearch,
      }
      const part = await readCursorPart(
        query,
        (after, limit) => {
          const cursor = after && { startedAt: after.at, id: after.id }
          return listTestSessionsAfter(db, accountOf(request), filter, cursor, limit)
        },
        ({ startedAt, id }) => ({ at: startedAt, id }),
      )
      const ids = part.rows.map(({ id }) => id)
      const runs = Map.groupBy(await listRunsOfSessions(db, ids), ({ sessionId }) => sessionId)
      return cursorList(part, (session) => toListEntry(session, runs.get(session.id) ?? []))
    },
  )
}
