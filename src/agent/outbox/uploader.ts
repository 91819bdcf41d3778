import { maxResultsAnUpload } from '../../contract/agent-protocol.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import { loop } from '../../lib/loop.ts'
import type { Bell } from '../bell.ts'
import { type ServiceClient, ServiceRefused } from '../service-client.ts'
import type { Batch } from './messages.ts'
import type { Outbox } from './outbox.ts'

interface UploadOptions {
  readonly outbox: Pick<Outbox, 'take' | 'remove' | 'stats'>
  /** What the service refused is not sent again. */
  readonly send: (
    body: Uint8Array,
    signal: AbortSignal,
  ) => Promise<{ readonly refused: readonly { readonly index: number; readonly reason: string }[] }>
  readonly maxRecords: number
  /** Takes a record that the service refused out of the way of those behind it. */
  readonly refuse: (seq: number, reason: string) => Promise<void>
  /** Rings when a record was stored. */
  readonly stored: Bell
  /** A batch was dealt with, or there is none. */
  readonly onSent: () => void
  readonly onFailed: (error: unknown, retryInMs: number) => void
}

export interface ResultUploadOptions extends Pick<UploadOptions, 'stored' | 'onSent' | 'onFailed'> {
  readonly outbox: Pick<Outbox, 'take' | 'remove' | 'setAside' | 'stats'>
  readonly send: ServiceClient['sendResults']
  readonly logger: Logger
  /** Told of every record that was set aside. */
  readonly onPoison: (error: AppError) => void
}

/** Before compression. */
const maxBatchBytes = 8 * 1024 * 1024
/** Lets some results come together: an upload costs the same for one and for a hundred. Alerts wait for no longer. */
const gatherMs = 200
/** While it catches up, the service has as much time for other work as it took for a batch, but no more than this. */
const maxPauseMs = 1000
/** The batch itself is what the service cannot take: the address or the key would be wrong for every batch. */
const batchFaults: readonly number[] = [400, 413, 422]

/** Sends the results in the outbox, oldest first, until the signal ends it; one that is refused is set aside. */
export function upload(options: ResultUploadOptions, signal: AbortSignal): Promise<void> {
  const refuse = (seq: number, reason: string) => setAside(options, seq, reason)
  return uploadRecords({ ...options, maxRecords: maxResultsAnUpload, refuse }, signal)
}

/** Sends what is in an outbox, oldest first, until the signal ends it. */
export function uploadRecords(options: UploadOptions, signal: AbortSignal): Promise<void> {
  let limit = options.maxRecords
  return loop({
    turn: async () => {
      const batch = await options.outbox.take(limit, maxBatchBytes)
      if (!batch) {
        options.onSent()
        await options.stored.wait(signal)
        return gatherMs
      }
      const before = options.outbox.stats.depth
      const startedMs = performance.now()
      limit = await sendBatch(options, batch, limit, signal)
      const { depth } = options.outbox.stats
      return depth > 0 && depth < before ? Math.min(maxPauseMs, performance.now() - startedMs) : 0
    },
    onError: options.onFailed,
    signal,
    backoff: { baseMs: 250, maxMs: 5000 },
  })
}

/** Returns how many records the next batch may have: half as many after a refusal, until the poison is alone. */
async function sendBatch(
  options: UploadOptions,
  batch: Batch,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  const { outbox, send, maxRecords, refuse, onSent } = options
  const { seqs } = batch
  try {
    const { refused } = await send(batch.body, signal)
    const reasons = new Map(refused.map(({ index, reason }) => [index, reason]))
    for (const [index, reason] of reasons) {
      const seq = seqs[index]
      if (seq !== undefined) await refuse(seq, reason)
    }
    await outbox.remove(seqs.filter((_, index) => !reasons.has(index)))
    onSent()
    return Math.min(maxRecords, limit * 2)
  } catch (error) {
    if (!(error instanceof ServiceRefused) || !batchFaults.includes(error.statusCode)) throw error
    const [only] = seqs
    if (seqs.length > 1 || only === undefined) return Math.ceil(seqs.length / 2)
    await refuse(only, `refused with status ${error.statusCode}`)
    return limit
  }
}

async function setAside(
  { outbox, logger, onPoison }: ResultUploadOptions,
  seq: number,
  reason: string,
): Promise<void> {
  await outbox.setAside(seq, reason)
  const error = new AppError('RESULT_REFUSED', 'The service refused a result, which was set aside')
  logger.error({ err: error, reason, record: seq }, 'a result was refused by the service and set aside')
  onPoison(error)
}
