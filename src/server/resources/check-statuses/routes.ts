import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { checkTypeNames, isRunnable } from '../../../contract/check-types.ts'
import { CheckStatusResource } from '../../../contract/resources/check-status.ts'
import { Nullable, Text } from '../../../contract/schema.ts'
import { dateText, dateTimeText } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Status } from '../../../rules/status.ts'
import { findStatus, listStatuses } from '../../../storage/check-statuses.ts'
import { findCheck, listChecksOfTypes } from '../../../storage/checks.ts'
import { listOverdueChecks } from '../../../storage/overdue-checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { incapablePlaces } from '../../stored/incapable-places.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'
import { withIncapable } from './incapable.ts'
import { overdueResource, withOverdue } from './overdue.ts'
import { unheardStatus } from './unheard-status.ts'

const tags = ['Check statuses']

interface StatusRow {
  readonly checkId: string
  readonly name: string
  readonly status: string
  readonly createdAt: number
  readonly updatedAt: number
}

function toResource(row: StatusRow): CheckStatusResource {
  // Written by the fold of rules/status and by nothing else.
  const status = JSON.parse(row.status) as Status
  return {
    name: row.name,
    checkId: row.checkId,
    hasFailures: status.hasFailures,
    hasErrors: status.hasErrors,
    isDegraded: status.isDegraded,
    longestRun: status.longestRun,
    shortestRun: status.shortestRun,
    lastRunLocation: status.lastRunLocation,
    lastCheckRunId: status.lastCheckRunId,
    sslDaysRemaining: status.sslDaysRemaining,
    created_at: dateText(row.createdAt),
    updated_at: dateTimeText(row.updatedAt),
  }
}

/** A check that no agent can carry out is told of as our fault: it would look healthy without a word (semantics §2). */
const notRunResource = (check: Schema['checks']): CheckStatusResource => ({
  ...unheardStatus({ checkId: check.id, ...check }, check.updatedAt),
  reason: `No agent can run checks of the type ${check.type}: this one is kept and never run`,
})

export function checkStatusRoutes(
  app: App,
  { db, clock }: { readonly db: Kysely<Schema>; readonly clock: Clock },
): void {
  app.get(
    '/v1/check-statuses',
    { schema: { tags, response: { 200: Type.Array(CheckStatusResource) } } },
    async (request) => {
      const accountId = accountOf(request)
      const statuses = await listStatuses(db, accountId)
      const notRun = await listChecksOfTypes(
        db,
        accountId,
        checkTypeNames.filter((type) => !isRunnable(type)),
      )
      const overdue = withOverdue(statuses.map(toResource), await listOverdueChecks(db, accountId))
      const told = withIncapable(overdue, await incapablePlaces(db, { accountId, now: clock.now() }))
      return [...told, ...notRun.map(notRunResource)]
    },
  )

  app.get(
    '/v1/check-statuses/:checkId',
    {
      schema: {
        tags,
        params: Type.Object({ checkId: Text() }),
        response: { 200: Nullable(CheckStatusResource) },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { checkId } = request.params
      const check = await findCheck(db, accountId, checkId)
      if (!check) throw notFound('check')
      if (!isRunnable(checkTypeOf(check))) return reply.send(notRunResource(check))
      const row = await findStatus(db, accountId, checkId)
      const status = row && toResource({ ...row, name: check.name })
      const [overdue] = await listOverdueChecks(db, accountId, checkId)
      const told = overdue ? overdueResource(overdue, status) : status
      const [shown = null] = withIncapable(
        told ? [told] : [],
        await incapablePlaces(db, { accountId, checkId, now: clock.now() }),
      )
      return reply.send(shown)
    },
  )
}
