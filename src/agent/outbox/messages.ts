/** What the outbox's own thread is started with. */
export interface OutboxSettings {
  readonly path: string
  readonly agentId: string
  readonly maxBytes: number
  readonly maxAgeMs: number
}

/** `body` is a ResultsRequest of the records `seqs`, in their order, as gzipped JSON. */
export interface Batch {
  readonly seqs: readonly number[]
  readonly body: Uint8Array
}

/** How full it is. `dropped` and `unreadable` count since the start. */
export interface OutboxStats {
  readonly depth: number
  readonly bytes: number
  /** Epoch ms; null when it is empty. */
  readonly oldestAt: number | null
  readonly dropped: { readonly size: number; readonly age: number }
  readonly unreadable: number
}

export const emptyStats: OutboxStats = {
  depth: 0,
  bytes: 0,
  oldestAt: null,
  dropped: { size: 0, age: 0 },
  unreadable: 0,
}

/** What the outbox's thread is asked. */
export type OutboxCall =
  | { readonly kind: 'put'; readonly bodies: readonly string[] }
  | { readonly kind: 'take'; readonly maxRecords: number; readonly maxBytes: number }
  | { readonly kind: 'remove'; readonly seqs: readonly number[] }
  | { readonly kind: 'set-aside'; readonly seq: number; readonly reason: string }
  | { readonly kind: 'close' }

export interface OutboxRequest {
  readonly id: number
  readonly call: OutboxCall
}

/** `sqliteCode`: SQLite's result code; null when the error was not SQLite's. */
export interface OutboxFault {
  readonly message: string
  readonly sqliteCode: number | null
}

/** Opening is answered like a call with the id 0. `batch` only where one was asked for. */
export interface OutboxReply {
  readonly id: number
  readonly stats: OutboxStats
  readonly batch: Batch | null
  readonly fault: OutboxFault | null
}
