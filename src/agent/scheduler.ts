import { type Capabilities, maxRunsAClaim } from '../contract/agent-protocol.ts'
import type { Run } from '../contract/run.ts'
import { loop } from '../lib/loop.ts'
import type { Contact } from './away/contact.ts'
import type { RanRuns } from './away/ran-runs.ts'
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
  readonly contact: Contact
  /** To be rung when a run was given whose check is not held in that version. */
  readonly unknown: Bell
  /** Those that were on their way before. */
  readonly ran: RanRuns
  /** Rings when there may be room for another run. */
  readonly slotFreed: Bell
  /** Told with each claim: the way to the targets of this location. */
  readonly useProxy: (proxyUrl: string | null) => void
  readonly onPoll: () => void
  readonly onPollFailed: (error: unknown, retryInMs: number) => void
}

const longPollMs = 20_000
const askDeadlineMs = 3000
/** Lets a few slots come free, so that a busy agent does not claim its runs one by one. */
const betweenClaimsMs = 20
/** For each slot of the queue: one run that runs, and others that are not due yet. */
const heldForEachSlot = 4

/** Polls for runs until the signal ends it, and sees each to its end. */
export function pollForRuns(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  return loop({
    turn: () => pollOnce(options, signal),
    onError: (error, retryInMs) => {
      options.contact.failed(error)
      options.onPollFailed(error, retryInMs)
    },
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

async function pollOnce(options: SchedulerOptions, signal: AbortSignal): Promise<number> {
  const { contact, slotFreed } = options
  const slots = freeSlots(options)
  if (slots === 0) {
    await slotFreed.wait(signal)
    return betweenClaimsMs
  }
  contact.asked()
  const claimed = await claimRuns(
    options,
    { slots, waitMs: longPollMs, begins: contact.coveredUntil === null },
    signal,
  ).finally(() => contact.answered())
  await take(options, claimed, signal)
  return claimed.length > 0 ? betweenClaimsMs : 0
}

/** A claim that is answered at once, or not in time: whether the service can be reached. Never rejects. */
export async function askForRuns(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  try {
    const claim = { slots: Math.max(1, freeSlots(options)), waitMs: 0, deadlineMs: askDeadlineMs }
    await take(options, await claimRuns(options, claim, signal), signal)
  } catch (error) {
    if (!signal.aborted) options.contact.failed(error)
  }
}

interface Claim {
  readonly slots: number
  readonly waitMs: number
  readonly deadlineMs?: number
  readonly begins?: boolean
}

async function claimRuns(
  options: SchedulerOptions,
  { slots, waitMs, deadlineMs, begins = false }: Claim,
  signal: AbortSignal,
): Promise<readonly Run[]> {
  const { service, agentId, capabilities, clock, contact } = options
  const request = { agentId, capabilities, slots, waitMs, ...(begins && { begins }) }
  const { serverTime, proxyUrl, runs } = await service.claim(request, signal, deadlineMs)
  clock.observe(serverTime)
  contact.reached({ serverTime, slots, runs })
  options.useProxy(proxyUrl)
  options.onPoll()
  return runs
}

/** Those whose definition is here are on their way at once; the others follow when theirs has come. */
async function take(options: SchedulerOptions, runs: readonly Run[], signal: AbortSignal): Promise<void> {
  const { definitions, service, agentId } = options
  const missing = runs.filter((run) => !follow(options, run))
  if (missing.length === 0) return
  options.unknown.ring()
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

/** Whether there was a definition to follow the run with. One that was run already has its result in the outbox, or sent. */
function follow(options: SchedulerOptions, run: Run): boolean {
  const { definitions, held, ran, clock } = options
  const definition = definitions.find(run)
  if (!definition) return false
  const heldRun = ran.wasOwn(run) && !held.has(run) ? null : held.hold(run)
  if (!heldRun) return true
  ran.addGiven(run, clock.now())
  void followRun(options, heldRun, definition)
  return true
}

/** One that this agent planned by itself. False where there is no definition of its check, or it was on its way before. */
export function followOwn(options: SchedulerOptions, run: Run): boolean {
  const { definitions, held, ran, clock } = options
  const definition = definitions.find(run)
  const heldRun = definition && !ran.has(run) ? held.holdOwn(run) : null
  if (!definition || !heldRun) return false
  ran.addOwn(run, clock.now())
  void followRun(options, heldRun, definition)
  return true
}

function concludeWithout({ store, clock }: SchedulerOptions, run: Run): Promise<void> {
  return store(definitionMissing(run, clock.now()))
}
