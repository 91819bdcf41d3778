import type { Kysely } from 'kysely'
import { newId } from '../../../lib/ids.ts'
import { findCheckGroup } from '../../../storage/check-groups.ts'
import { findCheck } from '../../../storage/checks.ts'
import { listChecksOfGroup } from '../../../storage/checks-of-group.ts'
import type { Schema } from '../../../storage/schema.ts'
import { findTriggerByToken, noteTriggerCall } from '../../../storage/triggers.ts'
import { notFound } from '../../http/api-error.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { mostChecksAtOnce, type SelectedCheck, withGroups } from '../../on-demand/select-checks.ts'
import { placesOf, sessionRun } from '../../on-demand/session-runs.ts'
import {
  checkSessionOf,
  type Started,
  type StartInput,
  startSessions,
} from '../../on-demand/start-sessions.ts'
import { storedGroup } from '../../stored/stored-check.ts'

/** What a URL names. */
export interface Called {
  readonly token: string
  readonly target: { readonly checkId: string } | { readonly groupId: number }
}

/** The trigger of the token, where it is of what the URL names. */
export async function findCalled(
  { database }: OnDemandOptions,
  { token, target }: Called,
): Promise<Schema['triggers'] | undefined> {
  const trigger = await findTriggerByToken(database.kysely, token)
  return trigger && isOf(trigger, target) ? trigger : undefined
}

/** Runs what the trigger is of, deactivated or not; undefined when there is nothing to run. @throws ApiError 404 */
export async function callTrigger(
  options: OnDemandOptions,
  trigger: Schema['triggers'],
): Promise<Started | undefined> {
  const [started] = await startSessions(options, trigger.accountId, async (db, input) => {
    await noteTriggerCall(db, trigger.id, input.now)
    const planned = await sessionOf(db, trigger, input)
    return planned && planned.runs.length > 0 ? [planned] : []
  })
  return started
}

function isOf(trigger: Schema['triggers'], target: Called['target']): boolean {
  return 'checkId' in target ? trigger.checkId === target.checkId : trigger.groupId === target.groupId
}

async function sessionOf(
  db: Kysely<Schema>,
  { accountId, checkId, groupId }: Schema['triggers'],
  input: StartInput,
): Promise<Started | undefined> {
  if (groupId !== null) return groupSession(db, { accountId, groupId }, input)
  const row = await findCheck(db, accountId, checkId ?? '')
  const [selected] = await withGroups(db, row ? [row] : [])
  return selected && checkSessionOf(selected, 'LEGACY_TRIGGER', input)
}

interface GroupOfAccount {
  readonly accountId: string
  readonly groupId: number
}

/** Those of its checks that are activated themselves, by groupOrder; no more runs at once than the group's concurrency. */
async function groupSession(
  db: Kysely<Schema>,
  { accountId, groupId }: GroupOfAccount,
  { now, isServed }: StartInput,
): Promise<Started> {
  const row = await findCheckGroup(db, accountId, groupId)
  if (!row) throw notFound('trigger')
  const checks = await listChecksOfGroup(db, groupId, { offset: 0, limit: mostChecksAtOnce })
  const active = await withGroups(
    db,
    checks.rows.filter(({ activated }) => activated === 1),
  )
  const sessionId = newId()
  let room = Math.floor(storedGroup(row).concurrency)
  const places = inOrder(active).flatMap((one) => placesOf(one, now).map((location) => ({ one, location })))
  const runs = places.map(({ one, location }, index) => {
    if (isServed(location)) room -= 1
    const held = room < 0 && { heldAs: index }
    return sessionRun(one, location, { sessionId, now, isServed, ...held })
  })
  const session = {
    id: sessionId,
    accountId,
    kind: 'group',
    checkId: null,
    name: row.name,
    runSource: 'GROUP_RUN_ALL',
    definition: '{}',
    startedAt: now,
    cancelledAt: null,
  } as const
  return { session, runs }
}

/** Those without an order come last, the oldest first. */
function inOrder(checks: readonly SelectedCheck[]): SelectedCheck[] {
  const orderOf = ({ check }: SelectedCheck) => check.groupOrder ?? Number.POSITIVE_INFINITY
  return checks.toSorted(
    (a, b) =>
      byNumber(orderOf(a), orderOf(b)) || a.row.createdAt - b.row.createdAt || (a.row.id < b.row.id ? -1 : 1),
  )
}

const byNumber = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)
