import type { Kysely } from 'kysely'
import type { Engine } from './engine.ts'
import { initial } from './migrations/0001-initial.ts'
import { secrets } from './migrations/0002-secrets.ts'
import type { Schema } from './schema.ts'

interface Migration {
  readonly name: string
  readonly up: (db: Kysely<Schema>, engine: Engine) => Promise<void>
}

/** In the order in which they are applied. Append only: one that has landed is never changed, moved or removed. */
export const migrations: readonly Migration[] = [
  { name: '0001-initial', up: initial },
  { name: '0002-secrets', up: secrets },
]
