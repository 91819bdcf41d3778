import { setTimeout as wait } from 'node:timers/promises'
import { type Measured, warmUpMs } from './measured.ts'

/** In a child, started with a URL, seconds and a concurrency: so many loops of the probe, counted, said to the parent. */
export async function countLoop(probe: (url: string) => Promise<void>): Promise<void> {
  const [, , url = '', seconds = '3', concurrency = '50'] = process.argv
  let done = 0
  let stopped = false
  const loops = Array.from({ length: Number(concurrency) }, async () => {
    while (!stopped) {
      await probe(url)
      done += 1
    }
  })
  const measuring = measure(Number(seconds), () => done).finally(() => {
    stopped = true
  })
  const [measured] = await Promise.all([measuring, ...loops])
  process.send?.(measured)
}

async function measure(seconds: number, done: () => number): Promise<Measured> {
  await wait(warmUpMs)
  const [cpuBefore, before] = [process.cpuUsage(), done()]
  await wait(seconds * 1000)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { checks: done() - before, cpuSeconds: (user + system) / 1e6 }
}
