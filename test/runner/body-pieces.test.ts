import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyPieces } from '../../src/runner/body-pieces.ts'

/** What is held in memory: of each underlying block once, all of it. */
function heldBytes(pieces: readonly Buffer[]): number {
  const blocks = new Set(pieces.map(({ buffer }) => buffer))
  return [...blocks].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/** A part of a chunk that comes from the network: bytes before it, its own, and bytes after it. */
const parts = fc.array(fc.tuple(fc.nat(40_000), fc.nat(40_000), fc.nat(9000)), { maxLength: 30 })
const smallParts = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)), { maxLength: 200 })

describe('the pieces of a body', () => {
  test('are the body, in order, up to the limit', () => {
    fc.assert(
      fc.property(fc.oneof(parts, smallParts), fc.nat(200_000), (cut, maxBytes) => {
        const pieces = new BodyPieces(maxBytes)
        const whole: Buffer[] = []
        for (const [before, own, after] of cut) {
          if (pieces.capped) break
          const chunk = Buffer.alloc(before + own + after, 'abcdefghijk')
          whole.push(chunk.subarray(before, before + own))
          pieces.add(chunk, before, before + own)
        }
        const body = Buffer.concat(whole)
        expect(pieces.capped).toBe(body.length > maxBytes)
        expect(Buffer.concat(pieces.end()).equals(body.subarray(0, maxBytes))).toBe(true)
        expect(pieces.bytes).toBe(Math.min(body.length, maxBytes))
      }),
    )
  })

  test('that come as one are not copied', () => {
    const pieces = new BodyPieces(1000)
    const chunk = Buffer.alloc(100)
    pieces.add(chunk, 40, 100)
    expect(pieces.end()[0]?.buffer).toBe(chunk.buffer)
  })

  test.each([
    ['single bytes', [1], 30_000],
    ['single bytes between long ones', [1, 4096], 3_000_000],
    ['little of each chunk', [3000], 3_000_000],
    ['just as much as is kept', [4096], 3_000_000],
    ['just less than is kept', [4095, 32_767], 3_000_000],
  ])('hold about what they are when they are %s', (_what, sizes, maxBytes) => {
    const pieces = new BodyPieces(maxBytes)
    for (let index = 0; !pieces.capped; index += 1) {
      const size = sizes[index % sizes.length] ?? 1
      pieces.add(Buffer.allocUnsafeSlow(65_536), 0, size)
    }
    const held = pieces.end()
    expect(heldBytes(held)).toBeLessThan(2.2 * maxBytes + 65_536)
    expect(held.length).toBeLessThan(maxBytes / 1000)
  })
})
