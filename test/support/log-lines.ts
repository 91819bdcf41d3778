import { createLogger, type Logger } from '../../src/lib/logger.ts'

export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [key: string]: unknown
}

export const logLevel = { warn: 40, error: 50 } as const

/** A logger whose lines a test can read. */
export function logLines(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  return {
    logger: createLogger({ name: 'test', level: 'DEBUG', pretty: false, destination: { write } }),
    lines,
  }
}
