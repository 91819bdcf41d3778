import { readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

/** Timers come and go with the test runner too: `vi.getTimerCount()` counts those of a test. */
const handles = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout')

/** How many file descriptors and handles this process holds now. */
export function openNow(): number {
  // Sockets of the resolver library are known to the system only.
  return readdirSync('/dev/fd').length + handles().length
}

const patienceMs = 2000

/** Resolves when no more is open than `before`. @throws Error naming what is, when that does not come. */
export async function closedAgain(before: number): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (openNow() > before) {
    await setImmediate()
    if (performance.now() > untilMs) throw new Error(`${openNow() - before} left open; handles: ${handles()}`)
  }
}
