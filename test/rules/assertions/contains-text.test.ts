import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { containsText } from '../../../src/rules/assertions/contains-text.ts'

describe('a text', () => {
  test.each([
    ['monitoring', 'tor', true],
    ['monitoring', 'rot', false],
    ['', '', true],
    ['a', '', true],
    ['', 'a', false],
  ])('%j contains %j: %s', (text, part, contained) => {
    expect(containsText(text, part)).toBe(contained)
  })

  test('contains what is in it, however long and alike the two are', () => {
    const anyPart = fc.array(fc.constantFrom('a', 'ab', 'aab', 'b'), { minLength: 40, maxLength: 200 })
    fc.assert(
      fc.property(anyPart, anyPart, fc.nat({ max: 50 }), (filling, parts, cutOff) => {
        const text = filling.join('').repeat(300_000 / filling.length)
        const part = parts.join('')
        const held = text + part + text
        expect(containsText(held, part)).toBe(true)
        const rest = held.slice(0, text.length + part.length - cutOff)
        expect(containsText(rest, part)).toBe(rest.includes(part))
      }),
      { numRuns: 30 },
    )
  })

  test('is searched in no time for what a plain search takes minutes for', () => {
    const part = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`
    expect(containsText('a'.repeat(25_000_000), part)).toBe(false)
  })
})
