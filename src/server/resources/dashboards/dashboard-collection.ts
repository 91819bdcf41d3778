import { randomBytes } from 'node:crypto'
import type { Dashboard, DashboardBody } from '../../../contract/resources/dashboard.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'
import { deleteDocumentsOf } from '../../../storage/documents.ts'
import type { FreshViewKey, ViewKey } from '../../secrets/view-keys.ts'
import { Collection, type Stored, type UniqueKey } from '../../stored/collection.ts'
import { keyResource } from './key-resource.ts'

export interface DashboardOptions {
  readonly database: Database
  readonly clock: Clock
}

export interface DashboardDefinition {
  /** The short id that its paths have. */
  readonly dashboardId: string
  readonly body: DashboardBody
  readonly keys: readonly ViewKey[]
}

/** The texts by which a dashboard is found; host names are the same in any case. */
export const keyOf = {
  dashboardId: (text: string) => `id:${text}`,
  customUrl: (text: string) => `url:${text.toLowerCase()}`,
  customDomain: (text: string) => `domain:${text.toLowerCase().replace(/\.$/, '')}`,
}

export const newDashboardId = (): string => randomBytes(4).toString('hex')

function keysOf({ dashboardId, body: { customUrl, customDomain } }: DashboardDefinition): UniqueKey[] {
  const taken = (field: string, text: string) =>
    `"${field}" "${text}" is taken by a dashboard: choose another`
  const keys = [
    { key: keyOf.dashboardId(dashboardId), conflict: 'The id drawn for the dashboard is taken: try again' },
  ]
  if (customUrl) keys.push({ key: keyOf.customUrl(customUrl), conflict: taken('customUrl', customUrl) })
  if (customDomain) {
    keys.push({ key: keyOf.customDomain(customDomain), conflict: taken('customDomain', customDomain) })
  }
  return keys
}

export const dashboardCollection = (options: DashboardOptions): Collection<DashboardDefinition> =>
  new Collection(options, {
    kind: 'dashboard',
    what: 'dashboard',
    ids: 'number',
    most: 1000,
    keysOf,
    onRemove: (db, { id }) => deleteDocumentsOf(db, 'dashboard-incident', id),
  })

export function toResource(
  { id, definition, createdAt }: Stored<DashboardDefinition>,
  fresh?: FreshViewKey,
): Dashboard {
  const { dashboardId, body, keys } = definition
  return {
    ...body,
    id: Number(id),
    dashboardId,
    created_at: dateTimeText(createdAt),
    keys: keys.map((key) => keyResource(key, fresh)),
  }
}
