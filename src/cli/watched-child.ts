import { spawn } from 'node:child_process'
import { backoffMs } from '../lib/backoff.ts'
import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'

export interface ChildOptions {
  /** Arguments of our own command, such as `server`. */
  readonly command: string
  readonly env: () => NodeJS.ProcessEnv
  readonly logger: Logger
  readonly onMessage?: (message: unknown) => void
  /** Ends the watch: the child is then told to stop, and not started again. */
  readonly signal: AbortSignal
  /** Tells a child that is stopping not to wait any longer. */
  readonly hurry: AbortSignal
}

const restartBackoff = { baseMs: 500, maxMs: 15_000 }
/** A child that lived this long was healthy: the next restart begins without back-off. */
const healthyAfterMs = 60_000

/**
 * Runs one of our own commands as a child process, and again whenever it ends by itself. A child shares no terminal
 * signals with us (we decide who stops when) and ends by itself when we are gone. Resolves with the exit code once the
 * watch was ended, or when the child could not even start for the first time.
 */
export async function watchChild(options: ChildOptions): Promise<number> {
  const { command, logger, signal } = options
  let failures = 0
  for (let first = true; ; first = false) {
    const startedAt = Date.now()
    const { ready, exitCode } = await runOnce(options)
    if (signal.aborted || (first && !ready)) return exitCode
    failures = Date.now() - startedAt > healthyAfterMs ? 1 : failures + 1
    const waitMs = backoffMs(failures, restartBackoff.baseMs, restartBackoff.maxMs, Math.random)
    logger.error(
      { exitCode, restartInMs: Math.round(waitMs) },
      `the ${command} process ended by itself and is started again`,
    )
    await sleep(waitMs, signal)
    if (signal.aborted) return exitCode
  }
}

/** The code that a shell would show for a child ended by a signal. */
const killedExitCode = 137

function runOnce(options: ChildOptions): Promise<{ ready: boolean; exitCode: number }> {
  const { command, env, onMessage, signal, hurry } = options
  const [, script = ''] = process.argv
  const child = spawn(process.execPath, [...process.execArgv, script, command], {
    env: env(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  let ready = false
  child.on('message', (message) => {
    ready = true
    onMessage?.(message)
  })
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  hurry.addEventListener('abort', stop, { once: true })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => {
      signal.removeEventListener('abort', stop)
      hurry.removeEventListener('abort', stop)
      resolve({ ready, exitCode: code ?? killedExitCode })
    })
  })
}
