import type { AccountTables } from './tables/account-tables.ts'
import type { AlertTables } from './tables/alert-tables.ts'
import type { CheckTables } from './tables/check-tables.ts'
import type { DocumentTables } from './tables/document-tables.ts'
import type { HeartbeatTables } from './tables/heartbeat-tables.ts'
import type { LedgerTables } from './tables/ledger-tables.ts'
import type { LocationTables } from './tables/location-tables.ts'
import type { ResultTables } from './tables/result-tables.ts'
import type { RunTables } from './tables/run-tables.ts'

/** Instants are epoch milliseconds, ids text, definitions and details JSON as text (design: Storage). */
export interface Schema
  extends AccountTables,
    AlertTables,
    CheckTables,
    DocumentTables,
    LedgerTables,
    HeartbeatTables,
    LocationTables,
    ResultTables,
    RunTables {
  /** Those that were applied (storage/migrations). */
  migrations: { name: string }
}
