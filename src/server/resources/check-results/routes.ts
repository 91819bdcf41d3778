import type { Kysely } from 'kysely'
import { type Static, Type } from 'typebox'
import {
  CheckResultCursorList,
  CheckResultCursorQuery,
  CheckResultListQuery,
  CheckResultResource,
} from '../../../contract/resources/check-result.ts'
import { Text } from '../../../contract/schema.ts'
import { parseInstant } from '../../../contract/wire-time.ts'
import { findResult, listResults, listResultsAfter } from '../../../storage/check-results.ts'
import { findCheck } from '../../../storage/checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { inputInvalid, notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { cursorList, readCursorPart } from '../../http/cursor-list.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { toResource } from './to-resource.ts'

const tags = ['Check results']
const ByCheck = Type.Object({ checkId: Text() })

type Query = Omit<Static<typeof CheckResultListQuery>, 'limit' | 'page'>

function instant(name: 'from' | 'to', text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseInstant(text)
  if (ms !== null) return ms
  throw inputInvalid(
    [{ path: name, text: `"${name}" must be a UNIX timestamp or an ISO 8601 date` }],
    'query',
  )
}

function filterOf(query: Query) {
  const [from, to] = [instant('from', query.from), instant('to', query.to)]
  return {
    resultType: query.resultType,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(query.location !== undefined && { location: query.location }),
    ...(query.hasFailures !== undefined && { hasFailures: query.hasFailures }),
  }
}

export function checkResultRoutes(app: App, { db }: { readonly db: Kysely<Schema> }): void {
  async function loadCheck(accountId: string, checkId: string) {
    const check = await findCheck(db, accountId, checkId)
    if (!check) throw notFound('check')
    return check
  }

  app.get(
    '/v1/check-results/:checkId',
    {
      schema: {
        tags,
        params: ByCheck,
        querystring: CheckResultListQuery,
        response: { 200: Type.Array(CheckResultResource) },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const check = await loadCheck(accountId, request.params.checkId)
      const filter = filterOf(request.query)
      const page = pageOf(request.query)
      const ofOtherType = request.query.checkType !== undefined && request.query.checkType !== check.type
      const { rows, total } = ofOtherType
        ? { rows: [], total: 0 }
        : await listResults(db, accountId, check.id, filter, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map((row) => toResource(row, check.name))
    },
  )

  app.get(
    '/v1/check-results/:checkId/:checkResultId',
    {
      schema: {
        tags,
        params: Type.Object({ checkId: Text(), checkResultId: Text() }),
        response: { 200: CheckResultResource },
      },
    },
    async (request) => {
      const accountId = accountOf(request)
      const check = await loadCheck(accountId, request.params.checkId)
      const row = await findResult(db, accountId, check.id, request.params.checkResultId)
      if (!row) throw notFound('check result')
      return toResource(row, check.name)
    },
  )

  app.get(
    '/v2/check-results/:checkId',
    {
      schema: {
        tags,
        params: ByCheck,
        querystring: CheckResultCursorQuery,
        response: { 200: CheckResultCursorList },
      },
    },
    async (request) => {
      const accountId = accountOf(request)
      const { checkType } = request.query
      const check = await loadCheck(accountId, request.params.checkId)
      const filter = filterOf(request.query)
      const ofOtherType = checkType !== undefined && checkType !== check.type
      const part = await readCursorPart(
        request.query,
        async (after, limit) => {
          if (ofOtherType) return []
          const cursor = after && { startedAt: after.at, id: after.id }
          return listResultsAfter(db, accountId, check.id, filter, cursor, limit)
        },
        ({ startedAt, id }) => ({ at: startedAt, id }),
      )
      return cursorList(part, (row) => toResource(row, check.name))
    },
  )
}
