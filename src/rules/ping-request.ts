/** What a job says by the end of the URL that it pings (semantics §7). */
export interface PingSignal {
  /** `start`: it begins, which is no sign of its end. */
  readonly kind: 'start' | 'success' | 'fail'
  readonly exitCode: number | null
}

/** A ping is one of these; every other method is refused. */
export const pingMethods = ['GET', 'POST', 'HEAD'] as const
/** Below the origin of the service, before the token. */
export const pingPath = '/heartbeats/ping/'
/** Pings of one token. */
export const mostPingsAMinute = 6000
/** In characters, of a source or a user agent. */
const longestPingHeader = 500
/** In bytes: enough for the last words of a job. */
export const keptPingBytes = 10_000

export const plainPing: PingSignal = { kind: 'success', exitCode: null }

/** In lower case. */
export const isPingToken = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

const highestExitCode = 255

/** `start`, `fail`, or what a job ended with, 0 to 255; null for anything else. */
export function pingSignalOf(text: string): PingSignal | null {
  if (text === 'start' || text === 'fail') return { kind: text, exitCode: null }
  if (!/^\d{1,3}$/.test(text) || Number(text) > highestExitCode) return null
  const exitCode = Number(text)
  return { kind: exitCode === 0 ? 'success' : 'fail', exitCode }
}

/** The beginning of the first of these headers that says something. */
export function pingHeader(values: readonly (string | undefined)[]): string | null {
  return values.find((text) => text)?.slice(0, longestPingHeader) ?? null
}
