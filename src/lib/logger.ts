import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'
import { logPipe } from './log-pipe.ts'

export type { Logger } from 'pino'

/** The levels of LOG_LEVEL (semantics §10) in pino's words. */
const levels = { DEBUG: 'debug', LOG: 'info', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const
export type LogLevel = keyof typeof levels
export const logLevels = Object.keys(levels) as readonly LogLevel[]

export interface LogOptions {
  readonly name: string
  readonly level: LogLevel
  /** Lines for a person's eye instead of JSON. */
  readonly pretty: boolean
  readonly destination?: DestinationStream
}

export function createLogger(options: LogOptions): Logger {
  const base: LoggerOptions = { name: options.name, level: levels[options.level] }
  if (!options.pretty) {
    const destination = options.destination ?? logPipe()
    return destination ? pino(base, destination) : pino(base)
  }
  const pretty = PinoPretty({
    colorize: true,
    ignore: 'pid,hostname,name,process',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: `${options.name.padEnd(7)} {msg}`,
    singleLine: true,
    sync: true,
  })
  return pino(base, pretty)
}
