import type { Capabilities } from '../contract/agent-protocol.ts'
import { Closers } from '../lib/closers.ts'
import { type IcmpAbility, icmpAbility } from '../runner/icmp/icmp-ability.ts'
import type { RunCheck } from '../runner/run-check.ts'
import { Contact } from './away/contact.ts'
import { OnItsOwn } from './away/go-on-alone.ts'
import { keepSchedules } from './away/held-schedules.ts'
import { RanRuns } from './away/ran-runs.ts'
import { Bell } from './bell.ts'
import { capabilitiesOf } from './capabilities.ts'
import type { AgentConfig } from './config.ts'
import { Definitions } from './definitions.ts'
import { drain } from './drain.ts'
import { DueTimers } from './due-timers.ts'
import type { ReportError } from './error-reports.ts'
import { createFaultLog } from './fault-log.ts'
import { keepLeases, type LeaseOptions, releaseRuns } from './leases.ts'
import { upload } from './outbox/uploader.ts'
import { openParts, type Parts, type PartsOptions } from './parts.ts'
import { probeReading } from './probe-reading.ts'
import { openProbing, type ProbingOptions } from './probing.ts'
import { createRunLog, loggedService } from './run-log.ts'
import { askForRuns, followOwn, freeSlots, pollForRuns, type SchedulerOptions } from './scheduler.ts'
import { toFinishedRun } from './to-finished-run.ts'

export interface AgentOptions extends PartsOptions {
  /** Instead of our own runners. */
  readonly runCheck?: RunCheck
}

export interface RunningAgent {
  readonly healthPort: number
  /** Null where no pings are taken. */
  readonly pingPort: number | null
  readonly reportError: ReportError
  /** Rejects when the agent cannot go on by itself. */
  readonly failed: Promise<never>
  /** Ends the agent in good order: design promise 6. */
  drain(): Promise<void>
  /** Running checks are not waited for any longer. */
  skipGrace(): void
}

/** @throws AppError where a port, the data folder or the outbox cannot be used */
export async function startAgent(config: AgentConfig, options: AgentOptions): Promise<RunningAgent> {
  const closers = new Closers()
  try {
    const ability = icmpAbility()
    const canPing = ability.way !== 'none'
    const capabilities = capabilitiesOf({ flavour: config.flavour, version: options.version, canPing })
    const opened = await openParts(config, options, closers)
    sayAbility(ability, opened)
    const parts = { ...opened, service: loggedService(opened.service, opened.logger) }
    const ways = { ...options, icmpAbility: () => ability }
    return run(parts, schedulerOptions(parts, ways, capabilities))
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** An agent that may not ping is sent no such check. */
function sayAbility(ability: IcmpAbility, { status, logger }: Pick<Parts, 'status' | 'logger'>): void {
  const advice = ability.way === 'none' ? ability.why : null
  status.icmp = { way: ability.way, advice }
  if (advice !== null) logger.warn({}, `no ICMP checks are taken: ${advice}`)
}

type Ways = AgentOptions & Pick<ProbingOptions, 'icmpAbility'>

function schedulerOptions(parts: Parts, options: Ways, capabilities: Capabilities): SchedulerOptions {
  const { logger, clock, metrics, status, outbox, service, trouble, reportError, closers } = parts
  const timers = new DueTimers(() => clock.monotonicMs())
  closers.push('timers', () => timers.close())
  const { proxy, ...probing } = openProbing({
    ...parts,
    version: options.version,
    runCheck: options.runCheck,
    icmpAbility: options.icmpAbility,
  })
  const contact = new Contact(() => clock.monotonicMs())
  status.contact = contact
  const runLog = createRunLog(logger)
  const sayFault = createFaultLog({ logger, monotonicMs: () => clock.monotonicMs() })
  return {
    ...parts,
    ...probing,
    capabilities,
    timers,
    useProxy: (proxyUrl) => proxy.use(proxyUrl),
    definitions: new Definitions({ fetch: service.definitions }),
    contact,
    unknown: new Bell(),
    ran: new RanRuns(),
    onStart: runLog.started,
    store: async (result) => {
      await outbox.put(result)
      runLog.concluded(result)
    },
    onResult: (result, definition, run) => {
      metrics.runFinished(toFinishedRun(result, definition.type))
      const reading = metrics.probes && probeReading(result, definition, run)
      if (reading) metrics.probes?.take(reading)
    },
    onFault: (error) => {
      sayFault(error)
      void reportError(error)
    },
    onPoll: () => {
      status.polled()
      trouble.worked('claiming runs')
    },
    onPollFailed: (error, retryInMs) => {
      status.pollFailed(error)
      metrics.pollFailed()
      trouble.failed('claiming runs', error, retryInMs)
    },
  }
}

/** What keeps the checks going while the service cannot be reached: until the signal ends it. */
function goOnAlone(parts: Parts, scheduler: SchedulerOptions, signal: AbortSignal): Promise<void>[] {
  const { config, logger, clock, status, metrics, service, trouble } = parts
  if (config.awayMaxMs === 0) return []
  const alone = new OnItsOwn({
    logger,
    clock,
    contact: scheduler.contact,
    freeSlots: () => freeSlots(scheduler),
    follow: (run) => followOwn(scheduler, run),
    ask: (asking) => askForRuns(scheduler, asking),
    maxAwayMs: config.awayMaxMs,
    onPlanned: (runs) => {
      status.planned(runs)
      metrics.runsPlanned(runs)
    },
  })
  const schedules = {
    ...scheduler,
    service,
    logger,
    onRead: () => trouble.worked('reading schedules'),
    onReadFailed: (error: unknown, retryInMs: number) =>
      trouble.failed('reading schedules', error, retryInMs),
    onChanged: alone.use.bind(alone),
  }
  return [keepSchedules(schedules, signal), alone.goOn(signal)]
}

function run(parts: Parts, scheduler: SchedulerOptions): RunningAgent {
  const { config, logger, held, status, health, outbox, pings, service, trouble, reportError, closers } =
    parts
  const claiming = new AbortController()
  const working = new AbortController()
  const hurry = new AbortController()
  const leases: LeaseOptions = {
    ...parts,
    onRenewed: () => trouble.worked('renewing leases'),
    onFailed: (error, retryInMs) => trouble.failed('renewing leases', error, retryInMs),
  }
  const polling = pollForRuns(scheduler, claiming.signal)
  const alone = goOnAlone(parts, scheduler, claiming.signal)
  const others = [
    keepLeases(leases, working.signal),
    upload(
      {
        ...parts,
        send: service.sendResults,
        onPoison: (error) => void reportError(error),
        onSent: () => trouble.worked('sending results'),
        onFailed: (error, retryInMs) => trouble.failed('sending results', error, retryInMs),
      },
      working.signal,
    ),
    ...(pings ? [pings.forward({ service, trouble }, working.signal)] : []),
  ]
  status.phase = 'running'

  const stop = async () => {
    status.phase = 'draining'
    await drain({
      logger,
      held,
      graceMs: config.drainGraceMs,
      hurry: hurry.signal,
      stopClaiming: async () => {
        claiming.abort()
        await Promise.allSettled([polling, ...alone])
      },
      release: (runIds) => releaseRuns(leases, runIds),
      outbox: () => outbox.stats,
    })
    await pings?.close()
    working.abort()
    await Promise.allSettled(others)
    await closers.close()
  }
  let stopped: Promise<void> | null = null
  return {
    healthPort: health.port,
    pingPort: pings?.port ?? null,
    reportError,
    failed: failure([polling, ...alone, ...others], [outbox.failed, ...(pings ? [pings.failed] : [])]),
    drain: () => {
      stopped ??= stop()
      return stopped
    },
    skipGrace: () => hurry.abort(),
  }
}

/** Rejects with the first fatal error; loops that end in good order say nothing. */
function failure(loops: readonly Promise<void>[], outboxes: readonly Promise<never>[]): Promise<never> {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  for (const ending of [...loops, ...outboxes]) ending.catch(failed.reject)
  return failed.promise
}
