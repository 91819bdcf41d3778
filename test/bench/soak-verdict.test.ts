import { describe, expect, it } from 'vitest'
import type { SoakSample } from '../../bench/soak/sample.ts'
import { growthMb, soakFaults } from '../../bench/soak/verdict.ts'

const idle: SoakSample = {
  seconds: 0,
  rssMb: 150,
  heapMb: 40,
  fds: 30,
  sockets: 5,
  timers: 2,
  resources: 10,
  outbox: 0,
  running: 0,
}

/** Ten minutes, a sample every 5 s. */
const load = (heapMb: (seconds: number) => number): SoakSample[] =>
  Array.from({ length: 120 }, (_, index) => {
    const seconds = (index + 1) * 5
    return { ...idle, seconds, heapMb: heapMb(seconds), rssMb: heapMb(seconds) + 100 }
  })

/** What a collector leaves behind until its next turn. */
const sawtooth = (seconds: number) => 200 + (seconds % 25) * 8

const soaked = { before: idle, during: load(sawtooth), after: idle, unheardOf: 0 }

describe('growthMb', () => {
  it('is nothing where memory only goes up and down', () => {
    expect(growthMb(load(sawtooth), 'heapMb')).toBeCloseTo(0, 0)
  })

  it('is what a leak adds in the second half, whatever goes up and down above it', () => {
    expect(
      growthMb(
        load((seconds) => sawtooth(seconds) + seconds / 10),
        'heapMb',
      ),
    ).toBeCloseTo(30, -1)
  })

  it('leaves out the first half, in which the heap finds its size', () => {
    expect(
      growthMb(
        load((seconds) => 200 + Math.min(seconds, 300)),
        'heapMb',
      ),
    ).toBe(0)
  })

  it('is not told of a load that is too short', () => {
    expect(growthMb(load(sawtooth).slice(0, 60), 'heapMb')).toBeNull()
  })
})

describe('soakFaults', () => {
  it('finds nothing wrong with an agent that is as before', () => {
    expect(soakFaults(soaked)).toEqual([])
  })

  it('allows for connections that are kept open for a while', () => {
    expect(soakFaults({ ...soaked, after: { ...idle, sockets: 8, fds: 33, resources: 14 } })).toEqual([])
  })

  it.each<[string, Partial<SoakSample>]>([
    ['fds', { fds: 80 }],
    ['sockets', { sockets: 55 }],
    ['timers', { timers: 20 }],
    ['resources', { resources: 40 }],
    ['outbox', { outbox: 1 }],
    ['running', { running: 1 }],
  ])('names %s that did not come back', (name, after) => {
    expect(soakFaults({ ...soaked, after: { ...idle, ...after } })).toEqual([
      expect.stringMatching(`^${name} `),
    ])
  })

  it('names memory that grows', () => {
    const during = load((seconds) => sawtooth(seconds) + seconds / 10)
    expect(soakFaults({ ...soaked, during })).toEqual([expect.stringMatching('^heapMb grew by (29|30|31)')])
  })

  it('names memory that grows outside of the heap', () => {
    const during = load(sawtooth).map((sample) => ({ ...sample, rssMb: sample.rssMb + sample.seconds / 5 }))
    expect(soakFaults({ ...soaked, during })).toEqual([expect.stringMatching('^rssMb grew by (5|6)')])
  })

  it('lets RSS grow by a little, as it does while allocators find their size', () => {
    const during = load(sawtooth).map((sample) => ({ ...sample, rssMb: sample.rssMb + sample.seconds / 20 }))
    expect(soakFaults({ ...soaked, during })).toEqual([])
  })

  it('names runs without a result', () => {
    expect(soakFaults({ ...soaked, unheardOf: 3 })).toEqual(['3 runs have no result'])
  })
})
