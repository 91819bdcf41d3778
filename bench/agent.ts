import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPicket } from '../test/support/picket-process.ts'
import { cpuSecondsOf, startChild } from './child.ts'
import type { Measured } from './measured.ts'

interface Accepted {
  readonly accepted: number
  readonly failed: number
}

/** The agent's whole path as a real process: claim, run, judge, outbox on disk, upload. */
export async function measureAgent(target: string, seconds: number, concurrency: number): Promise<Measured> {
  const service = await startChild('agent-service.ts', [target])
  const dir = await mkdtemp(join(tmpdir(), 'picket-bench-'))
  const agent = startPicket(['agent'], {
    API_URL: service.url,
    API_KEY: 'pl_bench-bench-bench-bench-bench',
    AGENT_HEALTH_PORT: '0',
    AGENT_HEALTH_HOST: '127.0.0.1',
    JOB_CONCURRENCY: String(concurrency),
    PICKET_DATA_DIR: dir,
    LOG_LEVEL: 'INFO',
  })
  const { healthPort } = await agent.logged('the agent is ready')
  const healthUrl = `http://127.0.0.1:${healthPort}`
  const count = async (): Promise<Accepted> => {
    // Our own stand-in sends it.
    const answer = (await (await fetch(`${service.url}/accepted`)).json()) as Accepted
    if (answer.failed > 0) throw new Error(`${answer.failed} checks of the bench did not pass`)
    return answer
  }
  const wait = () => new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  // A first second for compiling is on nobody's account.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const [cpuBefore, before] = [await cpuSecondsOf(`${healthUrl}/metrics`), await count()]
  await wait()
  const [cpuAfter, after] = [await cpuSecondsOf(`${healthUrl}/metrics`), await count()]
  agent.signal('SIGTERM')
  await agent.exit()
  service.process.kill()
  await rm(dir, { recursive: true, force: true })
  return { checks: after.accepted - before.accepted, cpuSeconds: cpuAfter - cpuBefore }
}
