import type { Kysely } from 'kysely'
import type { SnippetBody } from '../../../contract/resources/snippet.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'
import type { Schema } from '../../../storage/schema.ts'
import { usesOfSnippet } from '../../../storage/snippet-uses.ts'
import { ApiError } from '../../http/api-error.ts'
import { Collection, type Stored } from '../../stored/collection.ts'

export interface SnippetOptions {
  readonly database: Database
  readonly clock: Clock
}

/** So many uses are named; the rest are counted. */
const named = 5

/** @throws ApiError 409 while a check or group runs it */
async function assertUnused(db: Kysely<Schema>, { id, accountId }: Stored<SnippetBody>): Promise<void> {
  const uses = await usesOfSnippet(db, accountId, Number(id))
  if (uses.length === 0) return
  const shown = uses.slice(0, named).map(({ what, name, id: user }) => `${what} "${name}" (${user})`)
  const more = uses.length > named ? ` and ${uses.length - named} more` : ''
  throw new ApiError(
    'CONFLICT',
    `The snippet is in use by ${shown.join(', ')}${more}: take it out of them before deleting it`,
  )
}

export const snippetCollection = (options: SnippetOptions): Collection<SnippetBody> =>
  new Collection(options, {
    kind: 'snippet',
    what: 'snippet',
    ids: 'number',
    most: 1000,
    onRemove: assertUnused,
  })
