import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { lockAccount } from '../../storage/accounts.ts'
import { nextNumber } from '../../storage/counters.ts'
import type { Database } from '../../storage/database.ts'
import { listLinkedDocuments, replaceDocumentLinks } from '../../storage/document-links.ts'
import {
  countDocuments,
  deleteDocument,
  findDocument,
  findDocumentByKey,
  findDocuments,
  insertDocument,
  listAllDocuments,
  listDocuments,
  listDocumentsAfter,
  lockDocument,
  replaceDocumentKeys,
  updateDocument,
} from '../../storage/documents.ts'
import type { Page, Paged } from '../../storage/page.ts'
import type { Schema } from '../../storage/schema.ts'
import type { DocumentKind } from '../../storage/tables/document-tables.ts'
import { ApiError, found } from '../http/api-error.ts'
import { definitionText } from './definition-text.ts'

/** A resource as it is stored. */
export interface Stored<T> {
  readonly id: string
  readonly accountId: string
  readonly parentId: string | null
  readonly definition: T
  /** Epoch milliseconds, both. */
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** A text that one document of a kind may have, and what to do for whoever wants it too. */
export interface UniqueKey {
  readonly key: string
  readonly conflict: string
}

export interface CollectionOptions<T> {
  readonly kind: DocumentKind
  /** What people call one of them: `snippet`. */
  readonly what: string
  readonly ids: 'uuid' | 'number'
  /** Of one account, or of one parent. */
  readonly most: number
  /** Unique over all accounts: put the account's id into a key that is unique in the account only. */
  readonly keysOf?: (definition: T, accountId: string) => readonly UniqueKey[]
  /** Ids of what it names, for `listLinked`. */
  readonly linksOf?: (definition: T) => readonly string[]
  /** Refuses, in the same transaction, what cannot be stored. */
  readonly check?: (
    db: Kysely<Schema>,
    accountId: string,
    definition: T,
    previous?: Stored<T>,
  ) => Promise<void>
  /** Refuses a deletion, or cleans up after it, in the same transaction. */
  readonly onRemove?: (db: Kysely<Schema>, stored: Stored<T>) => Promise<void>
}

export interface New<T> {
  readonly definition: T
  readonly parentId?: string
}

/** Writes, in the same transaction, what belongs to it in tables of its own. */
type WriteAlso<T> = (db: Kysely<Schema>, stored: Stored<T>) => Promise<void>

/**
 * Resources of an account that are read and written whole. What is written together is written under the account's lock,
 * so that a reference never dangles. @throws ApiError 404, 409, 413
 */
export class Collection<T> {
  readonly #database: Database
  readonly #clock: Clock
  readonly #options: CollectionOptions<T>

  constructor(
    { database, clock }: { readonly database: Database; readonly clock: Clock },
    options: CollectionOptions<T>,
  ) {
    this.#database = database
    this.#clock = clock
    this.#options = options
  }

  async find(accountId: string, id: string): Promise<Stored<T>> {
    const row = await findDocument(this.#database.kysely, this.#filter(accountId), id)
    return toStored<T>(found(row, this.#options.what))
  }

  /** Those of them that there are, in no order. */
  async findMany(accountId: string, ids: readonly string[]): Promise<Stored<T>[]> {
    const rows = await findDocuments(this.#database.kysely, this.#filter(accountId), ids)
    return rows.map((row) => toStored<T>(row))
  }

  /** Of any account. */
  async findByKey(key: string): Promise<Stored<T>> {
    const row = await findDocumentByKey(this.#database.kysely, this.#options.kind, key)
    return toStored<T>(found(row, this.#options.what))
  }

  /** Newest first. */
  async list(accountId: string, page: Page, parentId?: string): Promise<Paged<Stored<T>>> {
    const filter = this.#filter(accountId, parentId)
    const { rows, total } = await listDocuments(this.#database.kysely, filter, page)
    return { rows: rows.map((row) => toStored<T>(row)), total }
  }

  /** Newest first. */
  async all(accountId: string, parentId?: string): Promise<Stored<T>[]> {
    const rows = await listAllDocuments(this.#database.kysely, this.#filter(accountId, parentId))
    return rows.map((row) => toStored<T>(row))
  }

  /** Newest first, behind `after`. */
  async listAfter(
    accountId: string,
    after: Pick<Stored<T>, 'createdAt' | 'id'> | null,
    limit: number,
  ): Promise<Stored<T>[]> {
    const rows = await listDocumentsAfter(this.#database.kysely, this.#filter(accountId), after, limit)
    return rows.map((row) => toStored<T>(row))
  }

  /** Those that name one of the targets (linksOf), newest first. */
  async listLinked(accountId: string, targets: readonly string[], limit: number): Promise<Stored<T>[]> {
    const rows = await listLinkedDocuments(this.#database.kysely, this.#filter(accountId), targets, limit)
    return rows.map((row) => toStored<T>(row))
  }

  create(accountId: string, definition: T, parentId?: string): Promise<Stored<T>> {
    return this.createWith(accountId, () => ({ definition, ...(parentId !== undefined && { parentId }) }))
  }

  /** For a definition that holds the id, or something sealed to it. */
  createWith(accountId: string, make: (id: string) => New<T>, also?: WriteAlso<T>): Promise<Stored<T>> {
    const { kind, ids } = this.#options
    return this.#write(accountId, async (db) => {
      const id = ids === 'uuid' ? newId() : String(await nextNumber(db, kind))
      const { definition, parentId = null } = make(id)
      await this.#assertRoom(db, accountId, parentId)
      await this.#options.check?.(db, accountId, definition)
      const stored = { id, accountId, parentId, definition, createdAt: this.#clock.now(), updatedAt: null }
      await insertDocument(db, this.#toRow(stored))
      await this.#writeKeys(db, stored)
      await this.#writeLinks(db, stored)
      await also?.(db, stored)
      return stored
    })
  }

  replace(accountId: string, id: string, definition: T): Promise<Stored<T>> {
    return this.change(accountId, id, () => definition)
  }

  /** Nobody else changes it between reading and writing. */
  change(
    accountId: string,
    id: string,
    change: (stored: Stored<T>) => T,
    also?: WriteAlso<T>,
  ): Promise<Stored<T>> {
    return this.#write(accountId, async (db) => {
      const previous = await this.#lock(db, accountId, id)
      const definition = change(previous)
      await this.#options.check?.(db, accountId, definition, previous)
      const stored = { ...previous, definition, updatedAt: this.#clock.now() }
      await updateDocument(db, this.#toRow(stored))
      await this.#writeKeys(db, stored)
      await this.#writeLinks(db, stored)
      await also?.(db, stored)
      return stored
    })
  }

  remove(accountId: string, id: string): Promise<void> {
    return this.#write(accountId, async (db) => {
      const stored = await this.#lock(db, accountId, id)
      await this.#options.onRemove?.(db, stored)
      await deleteDocument(db, this.#filter(accountId), id)
    })
  }

  #write<R>(accountId: string, work: (db: Kysely<Schema>) => Promise<R>): Promise<R> {
    return this.#database.transaction(async (db) => {
      await lockAccount(db, accountId)
      return work(db)
    })
  }

  async #lock(db: Kysely<Schema>, accountId: string, id: string): Promise<Stored<T>> {
    return toStored<T>(found(await lockDocument(db, this.#filter(accountId), id), this.#options.what))
  }

  async #assertRoom(db: Kysely<Schema>, accountId: string, parentId: string | null): Promise<void> {
    const { most, what } = this.#options
    const filter = this.#filter(accountId, parentId ?? undefined)
    if ((await countDocuments(db, filter)) < most) return
    throw new ApiError('CONFLICT', `There are at most ${most} of this kind (${what}): delete one first`)
  }

  async #writeKeys(db: Kysely<Schema>, stored: Stored<T>): Promise<void> {
    const { kind, keysOf } = this.#options
    if (!keysOf) return
    const keys = keysOf(stored.definition, stored.accountId)
    const taken = await replaceDocumentKeys(
      db,
      { kind, id: stored.id },
      keys.map(({ key }) => key),
    )
    const conflict = keys.find(({ key }) => key === taken)?.conflict
    if (conflict !== undefined) throw new ApiError('CONFLICT', conflict)
  }

  async #writeLinks(db: Kysely<Schema>, stored: Stored<T>): Promise<void> {
    const { kind, linksOf } = this.#options
    if (linksOf) await replaceDocumentLinks(db, { kind, id: stored.id }, linksOf(stored.definition))
  }

  #filter(accountId: string, parentId?: string) {
    return { kind: this.#options.kind, accountId, ...(parentId !== undefined && { parentId }) }
  }

  #toRow({ definition, ...stored }: Stored<T>): Schema['documents'] {
    return { ...stored, kind: this.#options.kind, definition: definitionText(definition, this.#options) }
  }
}

/** The definition was validated before it was written, and is written nowhere else. */
function toStored<T>({ kind: _kind, definition, ...row }: Schema['documents']): Stored<T> {
  return { ...row, definition: JSON.parse(definition) as T }
}
