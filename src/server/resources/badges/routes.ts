import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { BadgeQuery } from '../../../contract/resources/badge.ts'
import { Text } from '../../../contract/schema.ts'
import type { BadgeSubject } from '../../../storage/badge-statuses.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { App } from '../../http/app-type.ts'
import { drawBadge } from './draw-badge.ts'
import { findState } from './find-state.ts'

const tags = ['Badges']
const svg = { 200: { content: { 'image/svg+xml': { schema: Type.String() } } } }
const secondsUntilOld = 60

interface Headed {
  header(name: string, value: string): unknown
}

export function badgeRoutes(app: App, { db }: { readonly db: Kysely<Schema> }): void {
  async function answer(reply: Headed, subject: BadgeSubject, query: BadgeQuery): Promise<string> {
    const state = await findState(db, subject, query.responseTime)
    reply.header('content-type', 'image/svg+xml; charset=utf-8')
    reply.header('cache-control', `public, max-age=${secondsUntilOld}`)
    // Badges are shown on pages of other sites.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    return drawBadge(state, query)
  }

  app.get(
    '/v1/badges/checks/:checkId',
    {
      schema: {
        tags,
        summary: 'Badge of a check',
        params: Type.Object({ checkId: Text({ maxLength: 100 }) }),
        querystring: BadgeQuery,
        response: svg,
      },
    },
    (request, reply) => answer(reply, { checkId: request.params.checkId }, request.query),
  )

  app.get(
    '/v1/badges/groups/:groupId',
    {
      schema: {
        tags,
        summary: 'Badge of a check group: the worst state of its checks',
        params: Type.Object({ groupId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
        querystring: BadgeQuery,
        response: svg,
      },
    },
    (request, reply) => answer(reply, { groupId: request.params.groupId }, request.query),
  )
}
