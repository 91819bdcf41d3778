import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { SqlitePatience } from './sqlite-patience.ts'

/** Kysely over Node's own SQLite. Its adapter knows of a single connection and gives it to one user at a time. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #patience = new SqlitePatience()
  readonly #connection: SqliteConnection

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#connection = new SqliteConnection(database, this.#patience)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  /** Immediate: a transaction that reads first and writes later could otherwise find that it must not write any more. */
  async beginTransaction(): Promise<void> {
    if (this.#patience.takeFull()) this.#emptyLog()
    await this.#patience.carryOut(() => this.#database.exec('begin immediate'))
  }

  async commitTransaction(): Promise<void> {
    await this.#patience.carryOut(() => this.#database.exec('commit'))
  }

  /** SQLite has rolled back by itself after a full disk or an I/O error. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  /** It may be what fills the disk, and all of it fit into the file. */
  #emptyLog(): void {
    try {
      this.#database.exec('pragma wal_checkpoint(truncate)')
    } catch {
      // There is no room for that either: whatever is asked next says so.
    }
  }

  async destroy(): Promise<void> {
    this.#database.close()
  }
}

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** More than the queries that the service knows; lists of values make a statement for each length. */
const maxPrepared = 300

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #patience: SqlitePatience
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync, patience: SqlitePatience) {
    this.#database = database
    this.#patience = patience
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#patience.carryOut(() => this.#execute<R>(query))
  }

  #execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(query.sql)
    const parameters = query.parameters.map(toInput)
    if (returnsRows) {
      // The type of a row is what Kysely derived from the query that it compiled: nobody can check it here.
      return { rows: statement.all(...parameters) as R[] }
    }
    const { changes } = statement.run(...parameters)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are not streamed: read them in pages')
  }

  /** The statement that was not used for longest makes room. */
  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) this.#prepared.delete(sql)
    const prepared = known ?? this.#create(sql)
    this.#prepared.set(sql, prepared)
    const [oldest] = this.#prepared.keys()
    if (this.#prepared.size > maxPrepared && oldest !== undefined) this.#prepared.delete(oldest)
    return prepared
  }

  #create(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    return { statement, returnsRows: statement.columns().length > 0 }
  }
}

function toInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint')
    return value
  throw new TypeError(`SQLite is given texts, numbers and null, not a ${typeof value}`)
}
