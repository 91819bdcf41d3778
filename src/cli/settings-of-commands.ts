import { agentSettings } from '../agent/config.ts'
import type { Settings } from '../lib/settings.ts'
import { serverSettings } from '../server/config.ts'

const without = (settings: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)))

/** `picket up` makes the key of its agent and knows its own service: the other settings are there to be set. */
export const settingsOfUp = {
  service: without(serverSettings, ['PICKET_EMBEDDED_AGENT_KEY']),
  agent: without(agentSettings, ['API_URL', 'API_KEY']),
}

const { PICKET_DATABASE_URL, PICKET_DATA_DIR, PICKET_SECRET_KEY, PICKET_ACCOUNT_ID } = serverSettings

/** What commands beside a service need to know of it. */
export const settingsOfStorage = { PICKET_DATABASE_URL, PICKET_DATA_DIR, PICKET_SECRET_KEY }
export const settingsOfAudit = {
  PICKET_DATABASE_URL,
  PICKET_DATA_DIR,
  PICKET_RESULT_RETENTION_DAYS: serverSettings.PICKET_RESULT_RETENTION_DAYS,
}
export const settingsOfMigration = { PICKET_DATABASE_URL, PICKET_DATA_DIR }
export const settingsOfKeys = { PICKET_DATABASE_URL, PICKET_DATA_DIR, PICKET_ACCOUNT_ID }
