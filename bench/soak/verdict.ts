import { median, slopeOf } from '../support/statistics.ts'
import type { SoakSample } from './sample.ts'

/**
 * Of the second half of the load: of what is alive, less than 200 bytes for each check over five minutes of 150 a
 * second; of RSS, in which there is also what allocators keep for the next large body, a share.
 */
const maxHeapGrowthMb = 8
const maxRssGrowth = 0.1
/** Connections that are kept open for a while, to the service and to whoever reads the metrics. */
const slack = 6
/** The service's moods come around once in this time: minutes are alike. */
const windowSeconds = 60

/** A shorter load says nothing about memory. */
export const judgedFromSeconds = 360

/**
 * What memory grew by over the second half of the load: a robust line through the least of every minute. Null when the
 * load was too short.
 */
export function growthMb(samples: readonly SoakSample[], name: 'rssMb' | 'heapMb'): number | null {
  const lastSeconds = samples.at(-1)?.seconds ?? 0
  if (lastSeconds < judgedFromSeconds) return null
  const halfSeconds = lastSeconds / 2
  const least = new Map<number, number>()
  for (const sample of samples.filter(({ seconds }) => seconds >= halfSeconds)) {
    const window = Math.floor((sample.seconds - halfSeconds) / windowSeconds)
    least.set(window, Math.min(least.get(window) ?? Number.POSITIVE_INFINITY, sample[name]))
  }
  const slope = slopeOf(Array.from(least, ([window, y]) => ({ x: window * windowSeconds, y })))
  return slope * halfSeconds
}

export interface Soaked {
  readonly before: SoakSample
  readonly during: readonly SoakSample[]
  /** When everything had time to end. */
  readonly after: SoakSample
  /** Runs that the agent was given and said nothing of. */
  readonly unheardOf: number
}

/** What is wrong with the agent, a sentence each. */
export function soakFaults({ before, during, after, unheardOf }: Soaked): string[] {
  const back = (['fds', 'sockets', 'timers', 'resources', 'outbox', 'running'] as const)
    .filter((name) => after[name] > before[name] + (name === 'outbox' || name === 'running' ? 0 : slack))
    .map((name) => `${name} were ${before[name]} before the load and ${after[name]} after it`)
  return [
    ...growthFault(during, 'heapMb', maxHeapGrowthMb),
    ...growthFault(during, 'rssMb', maxRssGrowth * median(during.map(({ rssMb }) => rssMb))),
    ...back,
    ...(unheardOf === 0 ? [] : [`${unheardOf} runs have no result`]),
  ]
}

function growthFault(samples: readonly SoakSample[], name: 'rssMb' | 'heapMb', most: number): string[] {
  const grown = growthMb(samples, name)
  if (grown === null || grown <= most) return []
  return [`${name} grew by ${grown.toFixed(1)} in the second half of the load, ${most.toFixed(1)} is allowed`]
}
