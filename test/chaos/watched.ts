import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareEnv } from '../support/bare-env.ts'

export interface WatchedOptions {
  readonly name: string
  /** A file and its arguments. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onLine?: (line: string) => void
}

const restartAfterMs = 500
const keptLines = 15

/** A process of the product, started again whenever it ends, as whoever runs it would do. */
export class Watched {
  readonly #options: WatchedOptions
  #child: ChildProcess | null = null
  #stopping = false
  #paused: Promise<unknown> | null = null
  #said: string[] = []
  /** What it said last, for each time that it ended without being killed. */
  readonly endings: string[] = []

  constructor(options: WatchedOptions) {
    this.#options = options
    void this.#keepRunning()
  }

  get name(): string {
    return this.#options.name
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** SIGKILL, and not started again for as long. */
  kill(forMs: number): Promise<void> {
    const pause = sleep(forMs)
    this.#paused = pause
    this.signal('SIGKILL')
    return pause
  }

  tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 40_000)
    await exited
    clearTimeout(late)
  }

  async #keepRunning(): Promise<void> {
    while (!this.#stopping) {
      await this.#runOnce()
      if (this.#stopping) return
      await this.#paused
      this.#paused = null
      await sleep(restartAfterMs)
    }
  }

  async #runOnce(): Promise<void> {
    const { args, env, onLine } = this.#options
    this.#said = []
    const child = spawn(process.execPath, args, {
      env: { ...bareEnv, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stdin.on('error', () => {})
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.#said.push(line)
        if (this.#said.length > keptLines) this.#said.shift()
        onLine?.(line)
      })
    }
    const [code, signal] = await once(child, 'close')
    if (signal === null && !this.#stopping) {
      this.endings.push(`${this.name} ended with ${code}: ${this.#said.slice(-3).join(' | ').slice(0, 600)}`)
    }
  }
}
