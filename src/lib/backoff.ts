/**
 * Milliseconds to wait before try `attempt` (1 is the first repetition): doubles from `baseMs` up to `maxMs`,
 * half of it random, so that many waiting at once do not return at once.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random: () => number): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30))
  return ceilingMs / 2 + random() * (ceilingMs / 2)
}
