import type { Kysely } from 'kysely'
import type { TestSessionListEntry, TestSessionListQuery } from '../../../contract/resources/test-session.ts'
import type { Schema } from '../../../storage/schema.ts'
import { errorGroupsOfRuns } from './error-groups-of-runs.ts'

/** A session as a list shows it, and its runs. */
export interface Candidate {
  readonly entry: TestSessionListEntry
  readonly runs: readonly Schema['checkRuns'][]
}

type Filter = (candidate: Candidate) => boolean | Promise<boolean>

/** One of these names; of none where none is asked for. */
function oneOf(
  query: TestSessionListQuery,
  name: 'statuses' | 'branches' | 'users' | 'providers',
  partOf: (entry: TestSessionListEntry) => string | null,
): Filter[] {
  const wanted = [...(query[name] ?? []), ...(query[`${name}[]`] ?? [])]
  return wanted.length === 0 ? [] : [({ entry }) => wanted.includes(partOf(entry) ?? '')]
}

/** What a query asks for beside the columns of sessions, the costliest last. */
export function filtersOf(db: Kysely<Schema>, query: TestSessionListQuery): readonly Filter[] {
  const { noUsers = false, errorGroupId } = query
  const inGroup: Filter = async ({ runs }) =>
    [...(await errorGroupsOfRuns(db, runs)).values()].some((id) => id === errorGroupId)
  return [
    ...oneOf(query, 'statuses', ({ status }) => status),
    ...oneOf(query, 'branches', ({ branchName }) => branchName),
    ...oneOf(query, 'users', ({ commitOwner }) => commitOwner),
    ...oneOf(query, 'providers', ({ provider }) => provider),
    ...(noUsers ? [({ entry }: Candidate) => !entry.commitOwner] : []),
    ...(errorGroupId === undefined ? [] : [inGroup]),
  ]
}

export async function passes(filters: readonly Filter[], candidate: Candidate): Promise<boolean> {
  for (const filter of filters) if (!(await filter(candidate))) return false
  return true
}
