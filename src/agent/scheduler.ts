import { type Capabilities, maxRunsAClaim } from '../contract/agent-protocol.ts'
import type { Run } from '../contract/run.ts'
import { loop } from '../lib/loop.ts'
import type { Bell } from './bell.ts'
import { definitionMissing } from './carry-out.ts'
import type { Definitions } from './definitions.ts'
import { type FollowOptions, followRun } from './follow-run.ts'
import type { ServiceClient } from './service-client.ts'

export interface SchedulerOptions extends FollowOptions {
  readonly agentId: string
  readonly capabilities: Capabilities
  readonly service: Pick<ServiceClient, 'claim' | 'release'>
  readonly definitions: Definitions
  /** Rings when there may be room for another run. */
  readonly slotFreed: Bell
  /** Told with each claim: the way to the targets of this location. */
  readonly useProxy: (proxyUrl: string | null) => void
  readonly onPoll: () => void
  readonly onPollFailed: (error: unknown, retryInMs: number) => void
}

const longPollMs = 20_000
/** Lets a few slots come free, so that a busy agent does not claim its runs one by one. */
const betweenClaimsMs = 20
/** For each slot of the queue: one run that runs, and others that are not due yet. */
const heldForEachSlot = 4

/** Polls for runs until the signal ends it, and sees each to its end. */
export function pollForRuns(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  return loop({
    turn: () => claimRuns(options, signal),
    onError: options.onPollFailed,
    signal,
    backoff: { baseMs: 250, maxMs: 10_000 },
  })
}

/**
 * How many more runs to take: none while due ones wait for a slot, since another agent may have one free. Runs that
 * wait for their retry or for a slow target do not count.
 */
export function freeSlots({ held, queue }: Pick<SchedulerOptions, 'held' | 'queue'>): number {
  if (queue.waiting * 2 > queue.concurrency) return 0
  const free = queue.concurrency * heldForEachSlot - (held.size - held.count('retrying') - queue.slow)
  return Math.max(0, Math.min(maxRunsAClaim, free))
}

async function claimRuns(options: SchedulerOptions, signal: AbortSignal): Promise<number> {
  const { service, agentId, capabilities, clock, slotFreed } = options
  const slots = freeSlots(options)
  if (slots === 0) {
    await slotFreed.wait(signal)
    return betweenClaimsMs
  }
  const { serverTime, proxyUrl, runs } = await service.claim(
    { agentId, capabilities, slots, waitMs: longPollMs },
    signal,
  )
  clock.observe(serverTime)
  options.useProxy(proxyUrl)
  options.onPoll()
  await take(options, runs, signal)
  return runs.length > 0 ? betweenClaimsMs : 0
}

/** Those whose definition is here are on their way at once; the others follow when theirs has come. */
async function take(options: SchedulerOptions, runs: readonly Run[], signal: AbortSignal): Promise<void> {
  const { definitions, service, agentId } = options
  const missing = runs.filter((run) => !follow(options, run))
  if (missing.length === 0) return
  try {
    await definitions.fetch(
      missing.map(({ checkId }) => checkId),
      signal,
    )
  } catch (error) {
    // Where the service cannot be told either, their leases end by themselves.
    await service.release({ agentId, runIds: missing.map(({ id }) => id) }).catch(() => {})
    throw error
  }
  await Promise.all(
    missing.filter((run) => !follow(options, run)).map((run) => concludeWithout(options, run)),
  )
}

/** Whether there was a definition to follow the run with. */
function follow(options: SchedulerOptions, run: Run): boolean {
  const definition = options.definitions.find(run)
  if (!definition) return false
  const heldRun = options.held.hold(run)
  if (heldRun) void followRun(options, heldRun, definition)
  return true
}

function concludeWithout({ store, clock }: SchedulerOptions, run: Run): Promise<void> {
  return store(definitionMissing(run, clock.now()))
}
