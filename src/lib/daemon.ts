import { AppError } from './app-error.ts'
import type { Logger } from './logger.ts'
import { SettingsError } from './settings.ts'

/** A process that runs until it is told to stop. */
export interface Daemon {
  /** Ends it in good order. */
  stop(): Promise<void>
  /** A second signal came while it was stopping. */
  hurry(): void
  /** Tells somebody of an unexpected error that is about to end the process. */
  onCrash?(error: unknown): Promise<void>
}

export const exitCodes = { ok: 0, failed: 1, badSettings: 2 } as const

/** Tells whoever is at the terminal why the process cannot go on, in plain words where it is a known fault. */
export function explain(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof SettingsError) return { text: error.message, exitCode: exitCodes.badSettings }
  if (error instanceof AppError) return { text: error.message, exitCode: exitCodes.failed }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text, exitCode: exitCodes.failed }
}

/** A report of what ends the process must not keep it for longer. */
const crashReportMs = 2000

/**
 * Starts a daemon and stays with it: SIGTERM and SIGINT stop it, a second one hurries it, and when the process that
 * watches it is gone it ends at once, so that no orphan keeps a port or a file. Ends the process.
 */
export async function runDaemon(start: () => Promise<Daemon>, logger: Logger): Promise<void> {
  process.on('disconnect', () => process.exit(exitCodes.failed))
  const stopping = new AbortController()
  let daemon: Daemon | null = null
  process.once('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an unexpected error ends this process')
    const end = () => process.exit(exitCodes.failed)
    process.on('uncaughtException', end)
    setTimeout(end, crashReportMs)
    void Promise.resolve(daemon?.onCrash?.(error)).finally(end)
  })
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping.signal.aborted) {
      logger.warn({ signal }, 'told to stop again: not waiting any longer')
      if (daemon) daemon.hurry()
      else process.exit(exitCodes.failed)
      return
    }
    logger.info({ signal }, 'told to stop')
    stopping.abort()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  try {
    daemon = await start()
    await aborted(stopping.signal)
    await daemon.stop()
    logger.info('stopped')
    process.exit(exitCodes.ok)
  } catch (error) {
    const { text, exitCode } = explain(error)
    process.stderr.write(`${text}\n`)
    process.exit(exitCode)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
