import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { runnableTypes } from '../../contract/check-types.ts'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { effectiveCheck } from '../../rules/effective-check.ts'
import { slicesOf } from '../../storage/batches.ts'
import { findChecksByIds, listChecksAfter } from '../../storage/checks.ts'
import type { Schema } from '../../storage/schema.ts'
import { hasRuns } from '../stored/runs-now.ts'
import { anyCheckOf, groupsOf, storedCheck } from '../stored/stored-check.ts'

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
  const runnable = rows.filter((row) => hasRuns(storedCheck(row)))
  const groupOf = await groupsOf(db, runnable)
  return runnable.map((row) => {
    const group = groupOf(row)
    return { row, group, check: effectiveCheck(anyCheckOf(row), group) }
  })
}

/** What a target may mean, and one more that shows that it means too much. */
export const mostChecksAtOnce = 1000
const checksASlice = 100

/** The account's checks of these ids, or all of them, in slices: the event loop turns between two. */
async function* candidates(
  db: Kysely<Schema>,
  accountId: string,
  ids: readonly string[],
): AsyncGenerator<Schema['checks'][], void> {
  if (ids.length > 0) {
    const rows = await findChecksByIds(db, [...new Set(ids)])
    yield* slicesOf(rows.filter((row) => row.accountId === accountId).toSorted(newestFirst), checksASlice)
    return
  }
  let rows = await listChecksAfter(db, accountId, runnableTypes, undefined, checksASlice)
  while (rows.length > 0) {
    yield rows
    await setImmediate()
    rows = await listChecksAfter(db, accountId, runnableTypes, rows.at(-1), checksASlice)
  }
}

const newestFirst = (a: Schema['checks'], b: Schema['checks']) =>
  b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)

/** The account's checks that a target means, newest first: no more than shows that they are too many. */
export async function selectChecks(
  db: Kysely<Schema>,
  accountId: string,
  { checkId = [], matchTags = [], allowDeactivated }: CheckTarget,
): Promise<SelectedCheck[]> {
  const selected: SelectedCheck[] = []
  for await (const rows of candidates(db, accountId, checkId)) {
    const meant = (await withGroups(db, rows)).filter(
      (one) =>
        (allowDeactivated || one.check.activated) && (matchTags.length === 0 || matches(one, matchTags)),
    )
    selected.push(...meant)
    if (selected.length > mostChecksAtOnce) return selected
  }
  return selected
}

function matches({ check, group }: SelectedCheck, matchTags: readonly (readonly string[])[]): boolean {
  const tags = new Set([...check.tags, ...(group?.tags ?? [])])
  return matchTags.some((all) => all.every((tag) => tags.has(tag)))
}
