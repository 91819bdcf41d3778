/** What a candidate did, and what its own process spent on it: user and system time. */
export interface Measured {
  readonly checks: number
  readonly cpuSeconds: number
}

export const perCpuSecond = ({ checks, cpuSeconds }: Measured): number => checks / cpuSeconds
