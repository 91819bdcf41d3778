import { gzipSync } from 'node:zlib'
import type { Batch, OutboxSettings } from './messages.ts'

/** As the file has it, opened. */
export interface OutboxRecord {
  readonly seq: number
  /** On the clock of ages. */
  readonly at: number
  /** Of the body in clear. */
  readonly bytes: number
  /** Null when it does not open. */
  readonly body: string | null
}

interface Instants {
  /** On the clock of ages. */
  readonly now: number
  /** Epoch ms by the service's clock; null while nobody knows it. */
  readonly serviceAt: number | null
}

/** Makes of records what is sent to the service. */
export class Batches {
  readonly #settings: Pick<OutboxSettings, 'agentId' | 'content'>
  /** Of pings that were sent: when they came, by the service's clock. */
  readonly #toldAt = new Map<number, number>()

  constructor(settings: Pick<OutboxSettings, 'agentId' | 'content'>) {
    this.#settings = settings
  }

  of(records: readonly OutboxRecord[], instants: Instants): Batch {
    const { agentId, content } = this.#settings
    const list = records.map((record) => this.#toSend(record, instants)).join(',')
    const body = gzipSync(`{"agentId":${JSON.stringify(agentId)},"${content}":[${list}]}`, { level: 1 })
    return { seqs: records.map(({ seq }) => seq), body }
  }

  /** A record that is not there any more. */
  forget(seq: number): void {
    this.#toldAt.delete(seq)
  }

  /** A ping goes with its age (RelayedPing). */
  #toSend({ seq, at, body }: OutboxRecord, { now, serviceAt }: Instants): string | null {
    if (this.#settings.content === 'results') return body
    const ageMs = Math.max(0, now - at)
    return `{"ageMs":${ageMs},"at":${this.#takenAt(seq, ageMs, serviceAt)},"ping":${body}}`
  }

  /** What the way to the service takes makes it no younger, and the same ping sent again is of the same instant. */
  #takenAt(seq: number, ageMs: number, serviceAt: number | null): number | null {
    const told = this.#toldAt.get(seq)
    if (told !== undefined || serviceAt === null) return told ?? null
    this.#toldAt.set(seq, serviceAt - ageMs)
    return serviceAt - ageMs
  }
}

/** The first of them, up to so many bytes but at least one. */
export function upTo(records: readonly OutboxRecord[], maxBytes: number): readonly OutboxRecord[] {
  let bytes = 0
  const over = records.findIndex((record, index) => {
    bytes += record.bytes
    return index > 0 && bytes > maxBytes
  })
  return over === -1 ? records : records.slice(0, over)
}

/** Parsing each would cost more than all else here: one that is broken within is refused by the service, and set aside then. */
export function isWhole({ body, bytes }: OutboxRecord): boolean {
  if (body === null || Buffer.byteLength(body) !== bytes) return false
  return body.startsWith('{') && body.endsWith('}')
}
