import { type CanariesOptions, createCanaries } from './canaries.ts'
import type { OwnFault } from './own-fault-texts.ts'
import { OwnTrouble, type OwnTroubleOptions } from './own-trouble.ts'
import { type Attempt, createStallFinder, type StallFinderOptions } from './stall-finder.ts'

export type SelfDoubtOptions = StallFinderOptions & CanariesOptions & OwnTroubleOptions

/** Asks, after an attempt that did not pass, whether the fault was our own (semantics §3, errored). */
export interface SelfDoubt {
  /**
   * Null where the fault is the target's. To be called as soon as the attempt was judged; takes 4 s at most. Rejects
   * with the signal's reason when the signal ends the wait.
   */
  ownFault(attempt: Attempt, signal?: AbortSignal): Promise<OwnFault | null>
  close(): void
}

export function createSelfDoubt(options: SelfDoubtOptions): SelfDoubt {
  const canaries = createCanaries(options)
  const findStall = createStallFinder(options)
  const trouble = new OwnTrouble(options)
  return {
    ownFault: async (attempt, signal) => {
      const finding = findStall(attempt) ?? (await unlessAborted(canaries.find(attempt), signal))
      if (finding) trouble.met(finding)
      return finding?.fault ?? null
    },
    close: () => {
      canaries.close()
      trouble.close()
    },
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const abort = () => resolve()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    await Promise.race([work, aborted])
    signal.throwIfAborted()
    return await work
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
