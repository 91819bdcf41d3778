import { type HealthServer, startHealthServer } from '../health/health-server.ts'
import { createMetrics, type Metrics } from '../health/metrics.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Closers } from '../lib/closers.ts'
import type { Logger } from '../lib/logger.ts'
import { readAgentId } from './agent-id.ts'
import { AgentStatus } from './agent-status.ts'
import { Bell } from './bell.ts'
import type { AgentConfig } from './config.ts'
import { discreetLogger } from './discreet-logger.ts'
import { createErrorReports, type ReportError } from './error-reports.ts'
import { HeldRuns } from './held-runs.ts'
import { openOwnOutbox } from './open-own-outbox.ts'
import type { Outbox } from './outbox/outbox.ts'
import { openPingRelay, type PingRelay } from './ping-relay/ping-relay.ts'
import { RunQueue } from './queue.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'
import { ServiceClock } from './service-clock.ts'
import { serviceDispatcher } from './service-dispatcher.ts'
import { ServiceTrouble } from './service-trouble.ts'

export interface PartsOptions {
  readonly logger: Logger
  readonly version: string
  readonly clock?: Clock
}

/** What an agent is made of. */
export interface Parts {
  readonly config: AgentConfig
  readonly logger: Logger
  readonly agentId: string
  readonly clock: ServiceClock
  readonly held: HeldRuns
  readonly queue: RunQueue
  readonly status: AgentStatus
  readonly metrics: Metrics
  readonly health: HealthServer
  readonly outbox: Outbox
  /** Null where there are no pings to take or to forward. */
  readonly pings: PingRelay | null
  readonly service: ServiceClient
  readonly trouble: ServiceTrouble
  readonly reportError: ReportError
  /** Rings when a result was stored. */
  readonly stored: Bell
  /** Rings when there may be room for another run. */
  readonly slotFreed: Bell
  readonly closers: Closers
}

/**
 * Opens everything that the loops need, health first, so that it closes last.
 * @throws AppError where a port, the data folder or the outbox cannot be used
 */
export async function openParts(
  config: AgentConfig,
  { logger: told, version, clock: local = systemClock }: PartsOptions,
  closers: Closers,
): Promise<Parts> {
  const logger = discreetLogger(told)
  const agentId = await readAgentId(config.dataDir)
  const clock = new ServiceClock(local)
  const slotFreed = new Bell()
  const queue = new RunQueue(config.concurrency, () => slotFreed.ring())
  const held = new HeldRuns(() => slotFreed.ring())
  const status = new AgentStatus({ version, clock: local, queue, held })
  const metrics = createMetrics({
    queueRunning: () => queue.running,
    queueSlow: () => queue.slow,
    queueWaiting: () => queue.waiting,
    outboxRecords: () => status.outbox().depth,
    outboxOldestAgeSeconds: () => status.outboxAgeSeconds() ?? 0,
    awaySeconds: () => status.contact.awayMs / 1000,
    pingsUnsent: () => status.unsentPings(),
    probes: config.probeMetrics
      ? {
          monotonicMs: () => local.monotonicMs(),
          onFull: (most) =>
            logger.warn(
              { most },
              'more checks run here than AGENT_PROBE_METRICS shows: the others are left out',
            ),
        }
      : null,
  })
  closers.push('metrics', () => metrics.close())
  const health = await openHealth(config, status, metrics)
  closers.push('health', () => health.close())

  const dispatcher = serviceDispatcher(config.serviceUrl, config.proxies)
  closers.push('connections to the service', () => dispatcher.destroy())
  const { serviceUrl, apiKey, reportErrors: enabled } = config
  const service = createServiceClient({ serviceUrl, apiKey, dispatcher, version })
  const monotonicMs = () => local.monotonicMs()
  const reportError = createErrorReports({ enabled, send: service.reportError, version, monotonicMs })

  const { outbox, stored } = await openOwnOutbox({
    config,
    logger,
    agentId,
    clock,
    content: 'results',
    onDropped: metrics.resultsDropped,
  })
  closers.push('outbox', () => outbox.close())
  status.outbox = () => outbox.stats
  const pings = await openPingRelay({ config, logger, agentId, clock, metrics, closers })
  status.unsentPings = () => pings?.unsent ?? 0
  const trouble = new ServiceTrouble(logger)
  return {
    config,
    logger,
    agentId,
    clock,
    held,
    queue,
    status,
    metrics,
    health,
    outbox,
    pings,
    service,
    trouble,
    reportError,
    stored,
    slotFreed,
    closers,
  }
}

function openHealth(config: AgentConfig, status: AgentStatus, metrics: Metrics): Promise<HealthServer> {
  return startHealthServer({
    host: config.healthHost,
    port: config.healthPort,
    ready: () => status.phase === 'running',
    report: () => status.report(),
    metrics: async () => ({ contentType: metrics.contentType, text: await metrics.text() }),
  })
}
