import type { Logger } from '../lib/logger.ts'
import { Bell } from './bell.ts'
import type { AgentConfig } from './config.ts'
import { type Outbox, type OutboxOptions, openOutbox } from './outbox/outbox.ts'
import type { ServiceClock } from './service-clock.ts'

interface OwnOutboxOptions extends Pick<OutboxOptions, 'content' | 'onDropped'> {
  readonly config: AgentConfig
  readonly logger: Logger
  readonly agentId: string
  readonly clock: ServiceClock
}

interface OwnOutbox {
  readonly outbox: Outbox
  /** Rings when records are there to be sent. */
  readonly stored: Bell
}

/** An outbox of this agent, as its settings want it. @throws AppError as openOutbox */
export async function openOwnOutbox({ config, clock, ...options }: OwnOutboxOptions): Promise<OwnOutbox> {
  const { dataDir, outboxMaxBytes: maxBytes, outboxMaxAgeMs: maxAgeMs, outboxKey: key } = config
  const stored = new Bell()
  const outbox = await openOutbox({
    ...options,
    dataDir,
    maxBytes,
    maxAgeMs,
    key,
    serviceTime: () => clock.serviceTime(),
    onStored: () => stored.ring(),
  })
  return { outbox, stored }
}
