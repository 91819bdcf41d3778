import { describe, expect, test } from 'vitest'
import type { RetryStrategy } from '../../src/contract/retry-strategy.ts'
import { retriesElsewhere, retryLocation } from '../../src/rules/retry-elsewhere.ts'

type Retried = Parameters<typeof retriesElsewhere>[0]

const elsewhere: RetryStrategy = {
  type: 'FIXED',
  baseBackoffSeconds: 5,
  sameRegion: false,
  maxRetries: 2,
  maxDurationSeconds: 600,
}

const check = (changes: Partial<Retried> = {}): Retried => ({
  retryStrategy: elsewhere,
  doubleCheck: false,
  runParallel: false,
  locations: ['eu-west-1', 'us-east-1'],
  privateLocations: ['office'],
  ...changes,
})

describe('retries are made elsewhere', () => {
  test.each<[string, Partial<Retried>, boolean]>([
    ['with sameRegion false', {}, true],
    ['not with sameRegion true', { retryStrategy: { ...elsewhere, sameRegion: true } }, false],
    ['when checked twice without a strategy', { retryStrategy: null, doubleCheck: true }, true],
    ['not without either', { retryStrategy: null }, false],
    [
      'not when checked twice with a strategy for one place',
      { retryStrategy: { ...elsewhere, sameRegion: true }, doubleCheck: true },
      false,
    ],
    ['not of parallel runs', { runParallel: true }, false],
    ['not with one location', { locations: ['eu-west-1'], privateLocations: [] }, false],
    [
      'not with one location named twice',
      { locations: ['eu-west-1', 'eu-west-1'], privateLocations: [] },
      false,
    ],
    ['not without a location', { locations: [], privateLocations: [] }, false],
    ['with one location of either kind', { locations: ['eu-west-1'] }, true],
  ])('%s', (_name, changes, expected) => {
    expect(retriesElsewhere(check(changes))).toBe(expected)
  })
})

describe('the next attempt is made', () => {
  const everywhere = () => true

  test.each([
    ['eu-west-1', 'us-east-1'],
    ['us-east-1', 'office'],
    ['office', 'eu-west-1'],
  ])('after one at %s at %s: in the order of the round robin', (from, next) => {
    expect(retryLocation(check(), from, everywhere)).toBe(next)
  })

  test('at no location that nobody serves', () => {
    const served = (location: string) => location !== 'us-east-1'
    expect(retryLocation(check(), 'eu-west-1', served)).toBe('office')
  })

  test('where it was when no other location is served', () => {
    expect(retryLocation(check(), 'eu-west-1', (location) => location === 'eu-west-1')).toBe('eu-west-1')
    expect(retryLocation(check(), 'eu-west-1', () => false)).toBe('eu-west-1')
  })

  test('where it was of a check that runs everywhere at once, or nowhere, by now', () => {
    expect(retryLocation(check({ runParallel: true }), 'eu-west-1', everywhere)).toBe('eu-west-1')
    expect(retryLocation(check({ locations: [], privateLocations: [] }), 'office', everywhere)).toBe('office')
  })

  test('at the first location after one that the check has no more', () => {
    expect(retryLocation(check(), 'ap-south-1', everywhere)).toBe('eu-west-1')
  })
})
