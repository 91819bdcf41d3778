import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPicket } from '../../test/support/picket-process.ts'
import { type Metrics, readMetrics } from './metrics.ts'

export interface BenchAgent {
  readonly pid: number
  readonly metricsUrl: string
  /** Milliseconds from the start of the process to its word that it is ready. */
  readonly readyAfterMs: number
  metrics(): Promise<Metrics>
  /** Everything that it wrote there. */
  stderr(): string
  /** Ends it in good order. @throws Error when it ended with a code other than 0 */
  stop(): Promise<void>
}

export interface BenchAgentOptions {
  readonly serviceUrl: string
  readonly concurrency: number
  readonly env?: Readonly<Record<string, string>>
}

/** A real `picket agent`, as a process with an outbox of its own. */
export async function startAgent({ serviceUrl, concurrency, env }: BenchAgentOptions): Promise<BenchAgent> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-bench-'))
  const startedMs = performance.now()
  const agent = startPicket(['agent'], {
    API_URL: serviceUrl,
    API_KEY: 'pl_bench-bench-bench-bench-bench',
    AGENT_HEALTH_PORT: '0',
    AGENT_HEALTH_HOST: '127.0.0.1',
    JOB_CONCURRENCY: String(concurrency),
    PICKET_DATA_DIR: dir,
    LOG_LEVEL: 'INFO',
    ...env,
  })
  // Unlike our own children it does not see that we are gone.
  const orphan = () => agent.child.kill('SIGKILL')
  process.once('exit', orphan)
  const { healthPort } = await agent.logged('the agent is ready')
  const readyAfterMs = performance.now() - startedMs
  const metricsUrl = `http://127.0.0.1:${String(healthPort)}/metrics`
  return {
    pid: agent.child.pid ?? 0,
    metricsUrl,
    readyAfterMs,
    metrics: () => readMetrics(metricsUrl),
    stderr: () => agent.stderr(),
    stop: async () => {
      agent.signal('SIGTERM')
      const code = await agent.exit()
      process.off('exit', orphan)
      await rm(dir, { recursive: true, force: true })
      if (code !== 0) throw new Error(`the agent ended with ${String(code)}\n${agent.stderr()}`)
    },
  }
}
