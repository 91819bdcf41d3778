import type { AnyCheck } from '../contract/checks/any-check.ts'
import { locationsOf } from './effective-check.ts'

type Retried = Pick<
  AnyCheck,
  'retryStrategy' | 'doubleCheck' | 'runParallel' | 'locations' | 'privateLocations'
>

/**
 * Whether the retries of a check, as it runs in its group, are made at others of its own locations (semantics §4): those of
 * a round robin that asks for it, or that is checked twice without a strategy.
 */
export function retriesElsewhere(check: Retried): boolean {
  const { retryStrategy, doubleCheck, runParallel } = check
  const asked = retryStrategy ? !retryStrategy.sameRegion : doubleCheck
  return asked && !runParallel && new Set(locationsOf(check)).size > 1
}

/**
 * Where the attempt after one at `from` is made: at the next location in the order of the round robin that is served, or
 * there again when no other is.
 */
export function retryLocation(check: Retried, from: string, isServed: (location: string) => boolean): string {
  if (check.runParallel) return from
  const locations = locationsOf(check)
  const next = locations.indexOf(from) + 1
  const inOrder = [...locations.slice(next), ...locations.slice(0, next)]
  return inOrder.find((location) => location !== from && isServed(location)) ?? from
}
