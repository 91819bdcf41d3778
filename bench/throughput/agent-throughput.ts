import { setTimeout as wait } from 'node:timers/promises'
import { startAgent } from '../support/agent.ts'
import { ask, startChild } from '../support/child.ts'
import { cpuSecondsOf } from '../support/metrics.ts'
import { type Load, type Measured, warmUpMs } from './measured.ts'

interface Counted {
  readonly accepted: number
  readonly notPassing: number
}

/** The agent's whole path as a real process: claim, run, judge, outbox on disk, upload. */
export async function measureAgent(
  target: string,
  { seconds, concurrency }: Load,
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  const service = await startChild(new URL('busy-service.ts', import.meta.url), { args: [target] })
  const agent = await startAgent({ serviceUrl: service.said.url, concurrency, env })
  const count = async (): Promise<Counted> => {
    const counted = await ask<Counted>(service.process, {})
    if (counted.notPassing > 0) throw new Error(`${counted.notPassing} checks of the bench did not pass`)
    return counted
  }
  await wait(warmUpMs)
  const [cpuBefore, before] = [await cpuSecondsOf(agent.metricsUrl), await count()]
  await wait(seconds * 1000)
  const [cpuAfter, after] = [await cpuSecondsOf(agent.metricsUrl), await count()]
  await agent.stop()
  service.process.kill()
  return { checks: after.accepted - before.accepted, cpuSeconds: cpuAfter - cpuBefore }
}
