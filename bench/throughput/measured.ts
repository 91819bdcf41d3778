/** What a candidate did, and what its own process spent on it: user and system time. */
export interface Measured {
  readonly checks: number
  readonly cpuSeconds: number
}

/** How each candidate is measured. */
export interface Load {
  readonly seconds: number
  /** Checks at the same time. */
  readonly concurrency: number
}

/** Compiling is on nobody's account: long enough for it on a busy machine, too. */
export const warmUpMs = 10_000

export const perCpuSecond = ({ checks, cpuSeconds }: Measured): number => checks / cpuSeconds
