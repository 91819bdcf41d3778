import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'

export interface StatusPageOptions {
  readonly database: Database
  readonly clock: Clock
}

export const tags = ['Status pages']
