import { maxResultsAnUpload } from '../../contract/agent-protocol.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Logger } from '../../lib/logger.ts'
import { loop } from '../../lib/loop.ts'
import type { Bell } from '../bell.ts'
import { type ServiceClient, ServiceRefused } from '../service-client.ts'
import type { Batch } from './messages.ts'
import type { Outbox } from './outbox.ts'

export interface UploaderOptions {
  readonly outbox: Pick<Outbox, 'take' | 'remove' | 'setAside' | 'stats'>
  readonly send: ServiceClient['sendResults']
  readonly logger: Logger
  /** Rings when a record was stored. */
  readonly stored: Bell
  /** Told of every record that was set aside. */
  readonly onPoison: (error: AppError) => void
  /** A batch was dealt with, or there is none. */
  readonly onSent: () => void
  readonly onFailed: (error: unknown, retryInMs: number) => void
}

/** Before compression. */
const maxBatchBytes = 8 * 1024 * 1024
/** Lets some results come together: an upload costs the same for one and for a hundred. Alerts wait for no longer. */
const gatherMs = 200
/** The batch itself is what the service cannot take: the address or the key would be wrong for every batch. */
const batchFaults: readonly number[] = [400, 413, 422]

/** Sends what is in the outbox, oldest first, until the signal ends it. */
export function upload(options: UploaderOptions, signal: AbortSignal): Promise<void> {
  let limit = maxResultsAnUpload
  return loop({
    turn: async () => {
      const batch = await options.outbox.take(limit, maxBatchBytes)
      if (!batch) {
        options.onSent()
        await options.stored.wait(signal)
        return gatherMs
      }
      limit = await sendBatch(options, batch, limit, signal)
      return 0
    },
    onError: options.onFailed,
    signal,
    backoff: { baseMs: 250, maxMs: 5000 },
  })
}

/** Returns how many records the next batch may have: half as many after a refusal, until the poison is alone. */
async function sendBatch(
  options: UploaderOptions,
  batch: Batch,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  const { outbox, send, onSent } = options
  const { seqs } = batch
  try {
    const { refused } = await send(batch.body, signal)
    const reasons = new Map(refused.map(({ index, reason }) => [index, reason]))
    for (const [index, reason] of reasons) {
      const seq = seqs[index]
      if (seq !== undefined) await setAside(options, seq, reason)
    }
    await outbox.remove(seqs.filter((_, index) => !reasons.has(index)))
    onSent()
    return Math.min(maxResultsAnUpload, limit * 2)
  } catch (error) {
    if (!(error instanceof ServiceRefused) || !batchFaults.includes(error.statusCode)) throw error
    const [only] = seqs
    if (seqs.length > 1 || only === undefined) return Math.ceil(seqs.length / 2)
    await setAside(options, only, `refused with status ${error.statusCode}`)
    return limit
  }
}

async function setAside(
  { outbox, logger, onPoison }: UploaderOptions,
  seq: number,
  reason: string,
): Promise<void> {
  await outbox.setAside(seq, reason)
  const error = new AppError('RESULT_REFUSED', 'The service refused a result, which was set aside')
  logger.error({ err: error, reason, record: seq }, 'a result was refused by the service and set aside')
  onPoison(error)
}
