import { setTimeout as wait } from 'node:timers/promises'
import { startAgent } from '../support/agent.ts'
import { ask, startChild } from '../support/child.ts'
import { metric } from '../support/metrics.ts'

/** In bytes. */
export interface Usage {
  readonly rss: number
  readonly heapUsed: number
}

/** A process that keeps checks in flight. */
export interface HeldChecks {
  /** Resolves when so many are in flight. The number may only grow. */
  hold(checks: number): Promise<void>
  usage(): Promise<Usage>
  stop(): Promise<void>
}

const lookAgainMs = 50
/** Filling takes seconds; more than this and the bench itself is broken. */
const maxFillMs = 30_000

async function until(reached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + maxFillMs
  while (!(await reached())) {
    if (performance.now() > deadline) throw new Error('the checks are not in flight')
    await wait(lookAgainMs)
  }
}

/** A real agent, before a target that never answers. */
export async function holdByAgent(targetUrl: string, concurrency: number): Promise<HeldChecks> {
  const service = await startChild(new URL('held-service.ts', import.meta.url), { args: [targetUrl] })
  // What is in flight is not waited for when the agent is told to stop.
  const env = { PICKET_DRAIN_GRACE_SECONDS: '0' }
  const agent = await startAgent({ serviceUrl: service.said.url, concurrency, env })
  return {
    hold: async (checks) => {
      await ask(service.process, checks)
      await until(async () => metric(await agent.metrics(), 'picket_queue_running') >= checks)
    },
    usage: async () => {
      const metrics = await agent.metrics()
      return {
        rss: metric(metrics, 'process_resident_memory_bytes'),
        heapUsed: metric(metrics, 'nodejs_heap_size_used_bytes'),
      }
    },
    stop: async () => {
      await agent.stop()
      service.process.kill()
    },
  }
}

/** `createRunCheck` in a process of its own. */
export async function holdByRunner(targetUrl: string): Promise<HeldChecks> {
  const runner = await startChild(new URL('held-attempts.ts', import.meta.url), { args: [targetUrl] })
  const look = (checks: number) => ask<Usage & { readonly running: number }>(runner.process, checks)
  return {
    hold: (checks) => until(async () => (await look(checks)).running >= checks),
    usage: () => look(0),
    stop: async () => {
      runner.process.kill()
    },
  }
}
