import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { bareEnv } from './bare-env.ts'

const command = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string }

export interface PicketProcess {
  readonly child: ChildProcess
  /** Everything it logged. */
  readonly log: readonly LogLine[]
  /** Everything it wrote. */
  stdout(): string
  stderr(): string
  /** The first log line with this text, now or later. @throws when the process ends without it */
  logged(text: string): Promise<LogLine>
  exit(): Promise<number | null>
  signal(signal: NodeJS.Signals): void
}

/** Our own command as a real process, with JSON logs, and with no settings but these. */
export function startPicket(args: readonly string[], env: Readonly<Record<string, string>>): PicketProcess {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...bareEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: LogLine[] = []
  const waiting = new Set<() => void>()
  let stdout = ''
  let stderr = ''
  const wake = () => {
    for (const look of waiting) look()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout += `${line}\n`
    log.push(/^\{.+\}$/.test(line) ? JSON.parse(line) : { msg: line })
    wake()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const exited = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  void exited.then(wake)
  return {
    child,
    log,
    stdout: () => stdout,
    stderr: () => stderr,
    logged: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = log.find(({ msg }) => msg?.includes(text))
          const ended = child.exitCode !== null || child.signalCode !== null
          if (!line && !ended) return
          waiting.delete(look)
          if (line) resolve(line)
          else
            reject(
              new Error(`it ended without logging "${text}":\n${JSON.stringify(log.slice(-20))}\n${stderr}`),
            )
        }
        waiting.add(look)
        look()
      }),
    exit: () => exited,
    signal: (signal) => child.kill(signal),
  }
}
