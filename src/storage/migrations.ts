import type { Kysely } from 'kysely'
import type { Engine } from './engine.ts'
import { initial } from './migrations/0001-initial.ts'
import { secrets } from './migrations/0002-secrets.ts'
import { documents } from './migrations/0003-documents.ts'
import { checkGroups } from './migrations/0004-check-groups.ts'
import { alerts } from './migrations/0005-alerts.ts'
import { documentLinks } from './migrations/0007-document-links.ts'
import { apiKeysAndRateLimits } from './migrations/0008-api-keys-and-rate-limits.ts'
import { rollups } from './migrations/0009-rollups.ts'
import { heartbeatEvents } from './migrations/0010-heartbeat-events.ts'
import { sessions } from './migrations/0011-sessions.ts'
import { errorGroups } from './migrations/0012-error-groups.ts'
import { tagsOfChecks } from './migrations/0013-tags-of-checks.ts'
import { heartbeats } from './migrations/0014-heartbeats.ts'
import { scheduleHistory } from './migrations/0015-schedule-history.ts'
import { sharedSettings } from './migrations/0016-shared-settings.ts'
import { retriesElsewhere } from './migrations/0017-retries-elsewhere.ts'
import type { Schema } from './schema.ts'

interface Migration {
  readonly name: string
  readonly up: (db: Kysely<Schema>, engine: Engine) => Promise<void>
}

/** In the order in which they are applied. Append only: one that has landed is never changed, moved or removed. */
export const migrations: readonly Migration[] = [
  { name: '0001-initial', up: initial },
  { name: '0002-secrets', up: secrets },
  { name: '0003-documents', up: documents },
  { name: '0004-check-groups', up: checkGroups },
  { name: '0005-alerts', up: alerts },
  { name: '0007-document-links', up: documentLinks },
  { name: '0008-api-keys-and-rate-limits', up: apiKeysAndRateLimits },
  { name: '0009-rollups', up: rollups },
  { name: '0010-heartbeat-events', up: heartbeatEvents },
  { name: '0011-sessions', up: sessions },
  { name: '0012-error-groups', up: errorGroups },
  { name: '0013-tags-of-checks', up: tagsOfChecks },
  { name: '0014-heartbeats', up: heartbeats },
  { name: '0015-schedule-history', up: scheduleHistory },
  { name: '0016-shared-settings', up: sharedSettings },
  { name: '0017-retries-elsewhere', up: retriesElsewhere },
]
