import type { ApiCheck } from '../../contract/checks/api/check.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { definitionOf } from '../../rules/check-definition.ts'
import { mergeVariables } from '../../rules/merge-variables.ts'
import { findChecksByIds } from '../../storage/checks.ts'
import type { Database } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../authentication.ts'
import { openVariables } from '../check-variables.ts'
import { locationsOf, storedCheck } from '../stored-check.ts'
import { reachOf } from './served-locations.ts'
import { type SharedSettings, sharedSettings } from './shared-settings.ts'

interface DefinitionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly logger: Logger
}

interface StoredCheck {
  readonly row: Schema['checks']
  readonly check: ApiCheck
}

/** An agent learns only of checks that run where it is. */
function mayRun(agent: AgentPrincipal, { row, check }: StoredCheck): boolean {
  const { accountId, locations } = reachOf(agent)
  return (
    (accountId === null || accountId === row.accountId) &&
    locationsOf(check).some((location) => locations.includes(location))
  )
}

function toDefinition(sealer: Sealer, { row, check }: StoredCheck, shared: SharedSettings): CheckDefinition {
  return definitionOf(check, {
    checkId: row.id,
    version: row.version,
    variables: mergeVariables(openVariables(sealer, row.id, check), shared.variables),
    clientCertificates: shared.clientCertificates,
  })
}

async function unlessUnreadable<T>(
  logger: Logger,
  facts: object,
  open: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SECRET_UNREADABLE') throw error
    logger.error({ err: error, ...facts }, 'a stored secret cannot be read: no check that needs it runs')
    return null
  }
}

/**
 * The definitions that the agent may have, with secrets in clear. One whose secrets cannot be read is left out: its
 * runs end as errored, which says nothing about their target, and the others go on.
 */
export async function definitionsFor(
  { database, sealer, logger }: DefinitionOptions,
  agent: AgentPrincipal,
  checkIds: readonly string[],
): Promise<CheckDefinition[]> {
  const db = database.kysely
  const rows = await findChecksByIds(db, checkIds)
  const stored = rows
    .map((row) => ({ row, check: storedCheck(row) }))
    .filter((candidate) => mayRun(agent, candidate))
  // Read after the checks, so that it is never older than their versions: agents keep what they hold by version.
  const shared = new Map<string, SharedSettings | null>()
  for (const accountId of new Set(stored.map(({ row }) => row.accountId))) {
    const open = () => sharedSettings(db, sealer, accountId)
    shared.set(accountId, await unlessUnreadable(logger, { accountId }, open))
  }
  const definitions = stored.map(async (one) => {
    const settings = shared.get(one.row.accountId)
    if (!settings) return null
    return unlessUnreadable(logger, { checkId: one.row.id }, () => toDefinition(sealer, one, settings))
  })
  return (await Promise.all(definitions)).filter((definition) => definition !== null)
}
