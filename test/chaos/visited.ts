import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Visited {
  readonly port: number
  visits(): Promise<number>
  stop(): void
}

/** The target, in a process of its own. */
export async function startTarget(): Promise<Visited> {
  const script = join(import.meta.dirname, 'target.ts')
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port]: string[] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    port: Number(port),
    visits: async () => Number(await (await fetch(`http://127.0.0.1:${port}/-/visits`)).text()),
    stop: () => void child.stdin.end(),
  }
}
