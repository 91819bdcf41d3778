/** What an outbox is for: finished results, or pings that were taken for the service. */
export type OutboxContent = 'results' | 'pings'

/** What the outbox's own thread is started with. */
export interface OutboxSettings {
  readonly path: string
  readonly content: OutboxContent
  readonly agentId: string
  readonly maxBytes: number
  readonly maxAgeMs: number
  /** 32 bytes that records are sealed with. */
  readonly key: Uint8Array
}

/** `body` is a ResultsRequest or PingsRequest of the records `seqs`, in their order, as gzipped JSON. */
export interface Batch {
  readonly seqs: readonly number[]
  readonly body: Uint8Array
}

/** How full it is. `dropped` and `unreadable` count since the start. */
export interface OutboxStats {
  readonly depth: number
  readonly bytes: number
  /** Null when it is empty. */
  readonly oldestAgeMs: number | null
  readonly dropped: { readonly size: number; readonly age: number }
  readonly unreadable: number
}

export const emptyStats: OutboxStats = {
  depth: 0,
  bytes: 0,
  oldestAgeMs: null,
  dropped: { size: 0, age: 0 },
  unreadable: 0,
}

/** An outbox that could not be used: no database, of a later version, or sealed with another key. */
export interface SetAsideFile {
  readonly reason: 'corrupt' | 'newer' | 'other-key'
  readonly path: string
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
  /** Epoch ms by the service's clock; null while nobody knows it. */
  readonly serviceAt: number | null
}

/** `sqliteCode`: SQLite's result code; null when the error was not SQLite's. */
export interface OutboxFault {
  readonly message: string
  readonly sqliteCode: number | null
}

/** Opening is answered like a call with the id 0. `batch` only where one was asked for, `setAside` at the opening. */
export interface OutboxReply {
  readonly id: number
  readonly stats: OutboxStats
  readonly batch: Batch | null
  readonly setAside: SetAsideFile | null
  readonly fault: OutboxFault | null
}
