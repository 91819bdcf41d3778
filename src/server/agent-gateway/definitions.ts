import type { Kysely } from 'kysely'
import type { TypedCheck } from '../../contract/check-schemas.ts'
import { isRunnable } from '../../contract/check-types.ts'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import type { Variable } from '../../contract/variable.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { definitionOf } from '../../rules/check-definition.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import { mergeVariables } from '../../rules/merge-variables.ts'
import type { Database } from '../../storage/database.ts'
import { findDefinedChecks } from '../../storage/definition-versions.ts'
import type { Schema } from '../../storage/schema.ts'
import type { AgentPrincipal } from '../http/authentication.ts'
import { openTestVariables, type TestFacts, testFactsOf } from '../on-demand/test-facts.ts'
import { sealedPlaces } from '../secrets/sealed-places.ts'
import { openSecrets } from '../secrets/stored-variables.ts'
import { groupsOf, storedCheck } from '../stored/stored-check.ts'
import { reachOf } from './served-locations.ts'
import { type SharedSettings, sharedSettings } from './shared-settings.ts'
import { type TestOfCheck, testsOfChecks } from './tests-of-checks.ts'

interface DefinitionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly logger: Logger
}

interface StoredCheck {
  readonly row: Awaited<ReturnType<typeof findDefinedChecks>>[number]
  readonly typed: TypedCheck
  readonly group: CheckGroup | null
  /** The test that runs it with settings of its own; null for the check as it is. */
  readonly test: TestOfCheck | null
}

/** An agent learns only of checks that run where it is. */
function mayRun(agent: AgentPrincipal, { row, typed, group, test }: StoredCheck): boolean {
  const check: AnyCheck = typed.check
  const { accountId, locations } = reachOf(agent)
  const places = test ? [test.location] : locationsOf(effectiveCheck(check, group))
  return (
    (accountId === null || accountId === row.accountId) &&
    places.some((location) => locations.includes(location))
  )
}

/** A test's own strategy is all there is of retries, and its session says where it runs. */
function retriedAs(definition: CheckDefinition, { retryStrategy }: TestFacts): CheckDefinition {
  const there = { ...definition, retriesElsewhere: false }
  return retryStrategy === undefined ? there : { ...there, retryStrategy, doubleCheck: false }
}

/** Those of the check over those of its group, secrets in clear. */
function ownVariables(sealer: Sealer, { row, typed, group }: StoredCheck): readonly Variable[] {
  const place = (key: string) => sealedPlaces.variableOfCheck(row.id, key)
  const placeOfGroup = (key: string) => sealedPlaces.variableOfGroup(row.groupId ?? 0, key)
  const check = openSecrets<AnyCheck>(sealer, place, typed.check)
  return effectiveCheck(check, group && openSecrets(sealer, placeOfGroup, group)).environmentVariables ?? []
}

/** Null for a check that has no runs. */
function toDefinition(sealer: Sealer, stored: StoredCheck, shared: SharedSettings): CheckDefinition | null {
  const { row, typed, group, test } = stored
  const ofTest = test ? openTestVariables(sealer, test.session) : []
  const definition = definitionOf(typed, group, {
    checkId: test?.definitionId ?? row.id,
    version: row.definitionVersion,
    variables: mergeVariables(ofTest, ownVariables(sealer, stored), shared.variables),
    clientCertificates: shared.clientCertificates,
  })
  return definition && test ? retriedAs(definition, testFactsOf(test.session)) : definition
}

/** The checks of these ids as they are, and those that a test runs under one of them. */
async function storedChecks(db: Kysely<Schema>, ids: readonly string[]): Promise<StoredCheck[]> {
  const asTheyAre = await findDefinedChecks(db, ids)
  const known = new Set(asTheyAre.map(({ id }) => id))
  const tests = await testsOfChecks(
    db,
    ids.filter((id) => !known.has(id)),
  )
  const tested = await findDefinedChecks(db, [...new Set(tests.map(({ checkId }) => checkId))])
  const testedById = new Map(tested.map((row) => [row.id, row]))
  const pairs = [
    ...asTheyAre.map((row) => ({ row, test: null })),
    ...tests.map((test) => ({ row: testedById.get(test.checkId), test })),
  ]
  const groupOf = await groupsOf(db, [...asTheyAre, ...tested])
  return pairs.flatMap(({ row, test }) => {
    const typed = row && storedCheck(row)
    return typed && isRunnable(typed.type) ? [{ row, typed, group: groupOf(row), test }] : []
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
  const stored = (await storedChecks(db, checkIds)).filter((candidate) => mayRun(agent, candidate))
  // Read after the checks and groups, so that it is never older than their versions: agents keep what they hold by version.
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
