import { createLogger, type Logger, logLevels } from '../lib/logger.ts'
import { choice, readSettings } from '../lib/settings.ts'

const setting = { LOG_LEVEL: choice('how much is logged', logLevels, 'INFO') }

/** Lines on a terminal, JSON otherwise. @throws SettingsError */
export function processLogger(name: string, env: Readonly<Record<string, string | undefined>>): Logger {
  return createLogger({
    name,
    level: readSettings(setting, env).LOG_LEVEL,
    pretty: process.stdout.isTTY === true,
  })
}
