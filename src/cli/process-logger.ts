import { createLogger, type Logger, logLevels } from '../lib/logger.ts'
import { choice, readSettings } from '../lib/settings.ts'
import { tellUnknownSettings } from './unknown-settings.ts'

const setting = { LOG_LEVEL: choice('how much is logged', logLevels, 'INFO') }

/** Lines on a terminal, JSON otherwise; its first ones are of settings that nobody reads. @throws SettingsError */
export function processLogger(name: string, env: Readonly<Record<string, string | undefined>>): Logger {
  const logger = createLogger({
    name,
    level: readSettings(setting, env).LOG_LEVEL,
    pretty: process.stdout.isTTY === true,
  })
  tellUnknownSettings(env, logger)
  return logger
}
