/** Where time comes from: passed in, so that a test can hold it still. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Monotonic milliseconds with fractions, from an arbitrary origin. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
}
