import type { Kysely } from 'kysely'
import type { CheckOf, TypedCheck } from '../../contract/check-schemas.ts'
import type { CheckTypeName } from '../../contract/check-types.ts'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { findCheckGroupsByIds } from '../../storage/check-groups.ts'
import type { Schema } from '../../storage/schema.ts'

type CheckRow = Pick<Schema['checks'], 'type' | 'definition'>

/** The definition of a stored check: it was validated for its type before it was written, and is written nowhere else. */
export function storedCheck({ type, definition }: CheckRow): TypedCheck {
  return { type, check: JSON.parse(definition) } as TypedCheck
}

/** What all types have of it. */
export function anyCheckOf(row: CheckRow): AnyCheck {
  return storedCheck(row).check
}

/** The definition when the check is of this type; null when it is of another. */
export function checkOfType<T extends CheckTypeName>(row: CheckRow, type: T): CheckOf<T> | null {
  return row.type === type ? (JSON.parse(row.definition) as CheckOf<T>) : null
}

/** The column holds one of the contract's names and nothing else. */
export function checkTypeOf({ type }: Pick<CheckRow, 'type'>): CheckTypeName {
  return type as CheckTypeName
}

/** As storedCheck, of a group. */
export function storedGroup(row: Pick<Schema['checkGroups'], 'definition'>): CheckGroup {
  return JSON.parse(row.definition) as CheckGroup
}

/** Finds the group of each of these checks; null for one that is in none. */
export async function groupsOf(
  db: Kysely<Schema>,
  checks: readonly Pick<Schema['checks'], 'groupId'>[],
): Promise<(check: Pick<Schema['checks'], 'groupId'>) => CheckGroup | null> {
  const ids = checks.flatMap(({ groupId }) => (groupId === null ? [] : [groupId]))
  const rows = await findCheckGroupsByIds(db, ids)
  const groups = new Map(rows.map((row) => [row.id, storedGroup(row)]))
  return ({ groupId }) => (groupId === null ? null : (groups.get(groupId) ?? null))
}
