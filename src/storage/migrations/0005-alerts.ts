import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table alert_channel_subscriptions (
    id bigint not null primary key,
    channel_id bigint not null,
    check_id ${code} references checks (id) on delete cascade,
    group_id bigint references check_groups (id) on delete cascade,
    activated smallint not null,
    position bigint not null,
    channel_position bigint not null,
    check ((check_id is null) <> (group_id is null)),
    unique (channel_id, check_id),
    unique (channel_id, group_id)
  )`,
  // subscriptionsOf of checks and of groups
  'create index alert_channel_subscriptions_of_check on alert_channel_subscriptions (check_id) where check_id is not null',
  'create index alert_channel_subscriptions_of_group on alert_channel_subscriptions (group_id) where group_id is not null',
  `create table check_alerts (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    check_id ${code} not null references checks (id) on delete cascade,
    check_type ${code} not null,
    name text not null,
    alert_type ${code} not null,
    check_result_id ${code},
    location ${code} not null,
    response_time_ms double precision,
    error text,
    status_code text,
    started_at bigint not null,
    created_at bigint not null
  )`,
  // listCheckAlerts of the account, and of one check
  'create index check_alerts_newest on check_alerts (account_id, created_at desc, id)',
  'create index check_alerts_of_check on check_alerts (check_id, created_at desc, id)',
  `create table alert_notifications (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    check_alert_id ${code} not null references check_alerts (id) on delete cascade,
    check_id ${code} not null,
    check_type ${code} not null,
    check_result_id ${code},
    channel_id bigint not null,
    type ${code} not null,
    config text not null,
    status ${code} not null,
    result text,
    sent_at bigint,
    created_at bigint not null
  )`,
  // listAlertNotifications of the account, and of one channel
  'create index alert_notifications_newest on alert_notifications (account_id, created_at desc, id)',
  'create index alert_notifications_of_channel on alert_notifications (account_id, channel_id, created_at desc, id)',
  // deletion of an alert
  'create index alert_notifications_of_alert on alert_notifications (check_alert_id)',
]

export async function alerts(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
