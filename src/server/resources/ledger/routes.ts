import type { Kysely } from 'kysely'
import { LedgerAudit, LedgerAuditQuery } from '../../../contract/resources/ledger-audit.ts'
import { parseInstant } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Span } from '../../../rules/audit.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { audit } from '../../audit/audit.ts'
import { expectedChecks, expectedOf } from '../../audit/expected-checks.ts'
import { toAuditResource } from '../../audit/to-resource.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'

export interface LedgerOptions {
  readonly database: Database
  readonly clock: Clock
}

const dayMs = 24 * 60 * 60_000
/** The least that runs are kept for (loops/housekeeping). */
const mostAgeMs = 14 * dayMs
/** Of one request: `picket audit` has no such limit. */
const mostSlots = 2_000_000

const fault = (path: string, rule: string) => inputInvalid([{ path, text: `"${path}" ${rule}` }], 'query')
const timeRule = 'must be a UNIX timestamp or an ISO 8601 date'

/** What is not over yet is not audited. @throws ApiError 400 */
function spanOf(query: LedgerAuditQuery, now: number): Span {
  const fromMs = parseInstant(query.from)
  if (fromMs === null) throw fault('from', timeRule)
  if (fromMs <= now - mostAgeMs) throw fault('from', 'must be less than 14 days in the past')
  const to = query.to === undefined ? now : parseInstant(query.to)
  if (to === null) throw fault('to', timeRule)
  const untilMs = Math.min(now, to)
  if (untilMs < fromMs) throw fault('from', 'must be before "to" and not in the future')
  return { fromMs, untilMs }
}

/** @throws ApiError 400 */
async function assertFew(db: Kysely<Schema>, accountId: string, span: Span): Promise<void> {
  let slots = 0
  for await (const checks of expectedChecks(db, accountId)) {
    slots += checks.reduce((sum, check) => sum + expectedOf(check, span), 0)
    if (slots > mostSlots)
      throw fault('from', `and "to" must not be further apart than ${mostSlots} slots: ask for less at once`)
  }
}

export function ledgerRoutes(app: App, { database, clock }: LedgerOptions): void {
  app.get(
    '/v1/ledger/audit',
    { schema: { tags: ['Ledger'], querystring: LedgerAuditQuery, response: { 200: LedgerAudit } } },
    async (request) => {
      const accountId = accountOf(request)
      const span = spanOf(request.query, clock.now())
      await assertFew(database.kysely, accountId, span)
      return toAuditResource(await audit(database.kysely, { accountId, ...span }))
    },
  )
}
