import type { Capabilities } from '../contract/agent-protocol.ts'
import { Closers } from '../lib/closers.ts'
import type { RunCheck } from '../runner/run-check.ts'
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
import { openProbing } from './probing.ts'
import { createRunLog, loggedService } from './run-log.ts'
import { pollForRuns, type SchedulerOptions } from './scheduler.ts'
import { toFinishedRun } from './to-finished-run.ts'

export interface AgentOptions extends PartsOptions {
  /** Instead of our own runners. */
  readonly runCheck?: RunCheck
}

export interface RunningAgent {
  readonly healthPort: number
  readonly reportError: ReportError
  /** Rejects when the agent cannot go on by itself. */
  readonly failed: Promise<never>
  /** Ends the agent in good order: design promise 6. */
  drain(): Promise<void>
  /** Running checks are not waited for any longer. */
  skipGrace(): void
}

/** @throws AppError where a port, the data folder or the outbox cannot be used, SettingsError for a flavour without checks */
export async function startAgent(config: AgentConfig, options: AgentOptions): Promise<RunningAgent> {
  const closers = new Closers()
  try {
    const capabilities = capabilitiesOf(config.flavour, options.version)
    const opened = await openParts(config, options, closers)
    const parts = { ...opened, service: loggedService(opened.service, opened.logger) }
    return run(parts, schedulerOptions(parts, options, capabilities))
  } catch (error) {
    await closers.close()
    throw error
  }
}

function schedulerOptions(parts: Parts, options: AgentOptions, capabilities: Capabilities): SchedulerOptions {
  const { logger, clock, metrics, status, outbox, service, trouble, reportError, closers } = parts
  const timers = new DueTimers(() => clock.monotonicMs())
  closers.push('timers', () => timers.close())
  const { proxy, ...probing } = openProbing({
    ...parts,
    version: options.version,
    runCheck: options.runCheck,
  })
  const runLog = createRunLog(logger)
  const sayFault = createFaultLog({ logger, monotonicMs: () => clock.monotonicMs() })
  return {
    ...parts,
    ...probing,
    capabilities,
    timers,
    useProxy: (proxyUrl) => proxy.use(proxyUrl),
    definitions: new Definitions({ fetch: service.definitions }),
    onStart: runLog.started,
    store: async (result) => {
      await outbox.put(result)
      runLog.concluded(result)
    },
    onResult: (result, { type }) => metrics.runFinished(toFinishedRun(result, type)),
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

function run(parts: Parts, scheduler: SchedulerOptions): RunningAgent {
  const { config, logger, held, status, health, outbox, service, trouble, reportError, closers } = parts
  const claiming = new AbortController()
  const working = new AbortController()
  const hurry = new AbortController()
  const leases: LeaseOptions = {
    ...parts,
    onRenewed: () => trouble.worked('renewing leases'),
    onFailed: (error, retryInMs) => trouble.failed('renewing leases', error, retryInMs),
  }
  const polling = pollForRuns(scheduler, claiming.signal)
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
        await Promise.allSettled([polling])
      },
      release: (runIds) => releaseRuns(leases, runIds),
      outbox: () => outbox.stats,
    })
    working.abort()
    await Promise.allSettled(others)
    await closers.close()
  }
  let stopped: Promise<void> | null = null
  return {
    healthPort: health.port,
    reportError,
    failed: failure([polling, ...others], outbox.failed),
    drain: () => {
      stopped ??= stop()
      return stopped
    },
    skipGrace: () => hurry.abort(),
  }
}

/** Rejects with the first fatal error; loops that end in good order say nothing. */
function failure(loops: readonly Promise<void>[], outbox: Promise<never>): Promise<never> {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  for (const ending of [...loops, outbox]) ending.catch(failed.reject)
  return failed.promise
}
