import { setImmediate } from 'node:timers/promises'

/** Few enough that the widest table stays under the engines' limits of bound values (SQLite 32,766, PostgreSQL 65,535). */
export const rowsAStatement = 500

export function batchesOf<T>(items: readonly T[], size: number = rowsAStatement): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

/** As batchesOf; the event loop turns between two: SQLite works on it, and what takes long would stop everything else. */
export async function* slicesOf<T>(items: readonly T[], size?: number): AsyncGenerator<T[], void> {
  for (const [index, batch] of batchesOf(items, size).entries()) {
    if (index > 0) await setImmediate()
    yield batch
  }
}

/**
 * Repeats a delete of at most `rowsAStatement` rows until nothing is left; returns how many rows went. Between two
 * batches the event loop turns: SQLite works on it, and one delete of a day's rows would stop everything else.
 */
export async function deleteInBatches(deleteBatch: () => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const deleted = await deleteBatch()
    total += deleted
    if (deleted < rowsAStatement) return total
    await setImmediate()
  }
}
