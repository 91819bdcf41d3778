import { type Kysely, sql } from 'kysely'
import { batchesOf } from '../batches.ts'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table heartbeats (
    check_id ${code} not null primary key references checks (id) on delete cascade,
    account_id ${code} not null,
    token ${code} not null,
    active smallint not null,
    period_ms bigint not null,
    grace_ms bigint not null,
    anchor_at bigint,
    failing ${code} not null,
    restarted_at bigint not null,
    started_at bigint,
    deadline_at bigint
  )`,
  // lockHeartbeatsOfTokens
  'create index heartbeats_of_token on heartbeats (token)',
  // lockHeartbeatsDueBefore, firstHeartbeatDeadline
  'create index heartbeats_due on heartbeats (deadline_at, check_id) where deadline_at is not null',
  'alter table heartbeat_events add column pings integer not null default 1',
  'alter table heartbeat_events add column duration_ms bigint',
  'alter table heartbeat_events add column exit_code integer',
  'alter table heartbeat_events add column body text',
  // deleteHeartbeatEventsBefore
  'create index heartbeat_events_oldest on heartbeat_events (at)',
  'create table service_beats (id integer not null primary key, at bigint not null)',
  // listDowntimes
  'create table service_downtimes (from_at bigint not null primary key, to_at bigint not null)',
]

const unitMs: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

/** As definitions of heartbeats are at this migration. */
interface Definition {
  readonly activated: boolean
  readonly heartbeat: {
    readonly period: number
    readonly periodUnit: string
    readonly grace: number
    readonly graceUnit: string
    readonly pingToken: string
  }
}

interface Check {
  readonly id: string
  readonly accountId: string
  readonly definition: string
  readonly groupDefinition: string | null
}

const lengthMs = (amount: number, unit: string): number => Math.round(amount * (unitMs[unit] ?? 0))

/** No ping was taken before: each waits for its first. */
function waiting({ id, accountId, definition, groupDefinition }: Check): Schema['heartbeats'] {
  const { activated, heartbeat } = JSON.parse(definition) as Definition
  const group = JSON.parse(groupDefinition ?? '{"activated":true}') as Pick<Definition, 'activated'>
  return {
    checkId: id,
    accountId,
    token: heartbeat.pingToken.toLowerCase(),
    active: activated && group.activated ? 1 : 0,
    periodMs: lengthMs(heartbeat.period, heartbeat.periodUnit),
    graceMs: lengthMs(heartbeat.grace, heartbeat.graceUnit),
    anchorAt: null,
    failing: 'no',
    restartedAt: 0,
    startedAt: null,
    deadlineAt: null,
  }
}

export async function heartbeats(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
  const checks = await db
    .selectFrom('checks')
    .leftJoin('checkGroups', 'checkGroups.id', 'checks.groupId')
    .select(['checks.id', 'checks.accountId', 'checks.definition'])
    .select('checkGroups.definition as groupDefinition')
    .where('checks.type', '=', 'HEARTBEAT')
    .execute()
  for (const batch of batchesOf(checks)) {
    await db.insertInto('heartbeats').values(batch.map(waiting)).execute()
  }
}
