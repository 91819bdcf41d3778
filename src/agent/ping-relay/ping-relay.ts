import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { maxPingsAnUpload, pingRefusals } from '../../contract/agent-pings.ts'
import type { Metrics } from '../../health/metrics.ts'
import type { Closers } from '../../lib/closers.ts'
import type { Logger } from '../../lib/logger.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Bell } from '../bell.ts'
import type { AgentConfig } from '../config.ts'
import { openOwnOutbox } from '../open-own-outbox.ts'
import { type Outbox, outboxFiles } from '../outbox/outbox.ts'
import { uploadRecords } from '../outbox/uploader.ts'
import type { ServiceClient } from '../service-client.ts'
import type { ServiceClock } from '../service-clock.ts'
import type { ServiceTrouble } from '../service-trouble.ts'
import { acceptedTokens } from './accepted-tokens.ts'
import { type PingServer, startPingServer } from './ping-server.ts'
import { PingTokens } from './ping-tokens.ts'

export interface PingRelayOptions {
  readonly config: AgentConfig
  readonly logger: Logger
  readonly agentId: string
  readonly clock: ServiceClock
  readonly metrics: Pick<Metrics, 'pingTaken' | 'pingsForwarded' | 'pingsDropped'>
  readonly closers: Closers
}

interface RelayParts extends PingRelayOptions {
  readonly outbox: Outbox
  readonly stored: Bell
  readonly tokens: PingTokens
}

/** Pings that were taken here, and the way on to the service. */
export interface PingRelay {
  /** Null where none are taken any more, and some are on the disk. */
  readonly port: number | null
  /** Pings that the service does not have yet. */
  readonly unsent: number
  /** Rejects when no ping can be kept any more. */
  readonly failed: Promise<never>
  /** Sends what is on the disk, oldest first, until the signal ends it. */
  forward(options: ForwardOptions, signal: AbortSignal): Promise<void>
  /** Takes no more; what is on the disk may go out for a moment, while it is forwarded, and stays there else. */
  close(): Promise<void>
}

interface ForwardOptions {
  readonly service: Pick<ServiceClient, 'sendPings'>
  readonly trouble: ServiceTrouble
}

const isReason = (text: string): boolean => (pingRefusals as readonly string[]).includes(text)

const forwarding = 'forwarding pings'
const lastSendsMs = 1000
const lookMs = 20

/**
 * Null where pings are neither taken nor left of a time when they were.
 * @throws AppError where the port or the outbox cannot be used
 */
export async function openPingRelay(options: PingRelayOptions): Promise<PingRelay | null> {
  const { config, logger, agentId, clock, metrics, closers } = options
  const { dataDir, pingPort } = config
  if (pingPort === undefined && !existsSync(join(dataDir, outboxFiles.pings))) return null
  const { outbox, stored } = await openOwnOutbox({
    config,
    logger,
    agentId,
    clock,
    content: 'pings',
    onDropped: metrics.pingsDropped,
  })
  closers.push('outbox of pings', () => outbox.close())
  const tokens = new PingTokens({ logger, monotonicMs: () => clock.monotonicMs() })
  const parts = { ...options, outbox, stored, tokens }
  return relayOf(parts, pingPort === undefined ? null : await openServer(parts, pingPort))
}

async function openServer(
  { config, logger, clock, metrics, closers, outbox, tokens }: RelayParts,
  port: number,
): Promise<PingServer> {
  const server = await startPingServer({
    host: config.pingHost,
    port,
    serviceTime: () => clock.serviceTime(),
    store: async (ping) => {
      await outbox.tryPut(ping)
      metrics.pingTaken()
    },
    tokens,
  })
  closers.push('ping server', () => server.close())
  logger.info({ pingPort: server.port }, 'pings are taken')
  return server
}

function relayOf(parts: RelayParts, server: PingServer | null): PingRelay {
  const { outbox } = parts
  return {
    port: server?.port ?? null,
    get unsent() {
      return outbox.stats.depth
    },
    failed: outbox.failed,
    forward: (options, signal) => forward(parts, options, signal),
    close: async () => {
      await server?.close()
      const endMs = performance.now() + lastSendsMs
      while (outbox.stats.depth > 0 && performance.now() < endMs) await sleep(lookMs)
    },
  }
}

function forward(
  { outbox, stored, clock, tokens, metrics }: RelayParts,
  { service, trouble }: ForwardOptions,
  signal: AbortSignal,
): Promise<void> {
  return uploadRecords(
    {
      outbox,
      stored,
      maxRecords: maxPingsAnUpload,
      send: async (body, until) => {
        const answer = await service.sendPings(body, until)
        clock.observe(answer.serverTime)
        const accepted = await acceptedTokens(body, answer)
        for (const { reason, token } of answer.refused)
          if (reason === 'unknown-token' && token !== null) tokens.setUnknown(token)
        for (const token of accepted) tokens.setKnown(token)
        metrics.pingsForwarded(answer.accepted)
        return answer
      },
      refuse: async (seq, reason) => {
        metrics.pingsDropped(isReason(reason) ? reason : 'refused', 1)
        await outbox.remove([seq])
      },
      onSent: () => trouble.worked(forwarding),
      onFailed: (error, retryInMs) => trouble.failed(forwarding, error, retryInMs),
    },
    signal,
  )
}
