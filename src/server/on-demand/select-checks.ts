import type { Kysely } from 'kysely'
import { checkTypeNames, isRunnable } from '../../contract/check-types.ts'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { effectiveCheck } from '../../rules/effective-check.ts'
import { listChecksOfTypes } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { anyCheckOf, groupsOf } from '../stored/stored-check.ts'

/** A check that is to be run, as it runs in its group. */
export interface SelectedCheck {
  readonly row: Schema['checks']
  readonly check: AnyCheck
  readonly group: CheckGroup | null
}

/** Lists that are left out or empty ask for nothing. */
export interface CheckTarget {
  readonly checkId?: readonly string[] | undefined
  /** One of the lists, all of its tags: the check's own and its group's count alike. */
  readonly matchTags?: readonly (readonly string[])[] | undefined
  readonly allowDeactivated: boolean
}

/** With their groups; those that no agent can carry out are left out. */
export async function withGroups(
  db: Kysely<Schema>,
  rows: readonly Schema['checks'][],
): Promise<SelectedCheck[]> {
  const runnable = rows.filter(({ type }) => runnableTypes.includes(type))
  const groupOf = await groupsOf(db, runnable)
  return runnable.map((row) => {
    const group = groupOf(row)
    return { row, group, check: effectiveCheck(anyCheckOf(row), group) }
  })
}

const runnableTypes: readonly string[] = checkTypeNames.filter(isRunnable)

/** The account's checks that a target means, newest first. */
export async function selectChecks(
  db: Kysely<Schema>,
  accountId: string,
  { checkId = [], matchTags = [], allowDeactivated }: CheckTarget,
): Promise<SelectedCheck[]> {
  const ids = new Set(checkId)
  const rows = await listChecksOfTypes(db, accountId, runnableTypes)
  const selected = await withGroups(
    db,
    rows.filter(({ id }) => ids.size === 0 || ids.has(id)),
  )
  return selected.filter(
    (one) => (allowDeactivated || one.check.activated) && (matchTags.length === 0 || matches(one, matchTags)),
  )
}

function matches({ check, group }: SelectedCheck, matchTags: readonly (readonly string[])[]): boolean {
  const tags = new Set([...check.tags, ...(group?.tags ?? [])])
  return matchTags.some((all) => all.every((tag) => tags.has(tag)))
}
