import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/rules/redaction/create-redactor.ts'
import { anySecret, encodings } from '../support/secret-traces.ts'

const redactCut = (secret: string, text: string) => createRedactor([secret])(text, 'cut')

describe('at the end of a text that was cut', () => {
  test.each([
    ['hunter2-and-more', 'a hunter2-an', 'a <redacted>'],
    ['hunter2-and-more', 'a hunt', 'a <redacted>'],
    ['hunter2-and-more', 'a hun', 'a hun'],
    ['hunter2-and-more', 'a hunt b', 'a hunt b'],
    ['hunter2-and-more', 'a hunter2-and-more', 'a <redacted>'],
    ['hunter2-and-more', '', ''],
    ['ababac', 'xabababa', 'xab<redacted>'],
    ['a b/c d/e f', '?q=a%20b%2Fc%2', '?q=<redacted>'],
    ['a b/c é/e f', '?q=a%20b%2Fc%20%C3', '?q=<redacted>'],
    ['a"b"c"d"e"f', '"a\\"b\\"c\\', '"<redacted>'],
    ['漢字漢字漢字漢字', '"\\u6f22\\u5b57\\u6f22\\u5b57\\u6f', '"<redacted>'],
    ['a&b&c&d&e&f', 'a&amp;b&amp;c&am', '<redacted>'],
    ['naïve-hunter2é', 'a naïve-hunter2\uFFFD', 'a <redacted>'],
    ['hunter2', 'a dz', 'a dz'],
    [
      'hunter2-and-more',
      `x ${Buffer.from('hunter2-and-more').toString('base64').slice(0, 9)}`,
      'x <redacted>',
    ],
  ])('the beginning of %j goes: %j', (secret, text, told) => {
    expect(redactCut(secret, text)).toBe(told)
  })

  test('nothing is left of a secret but three characters, wherever in it and in whatever form it was cut', () => {
    const names = Object.keys(encodings).filter((name) => !/base64|hex|JSON in/.test(name))
    fc.assert(
      fc.property(anySecret, fc.constantFrom(...names), fc.nat(), (secret, name, at) => {
        const encoded = encodings[name]?.(secret) ?? ''
        const kept = encoded.slice(0, at % (encoded.length + 1))
        const told = redactCut(secret, `a: ${kept}`)
        // An escape stands for one character.
        const left = told.replace('a: ', '').replace('<redacted>', '')
        const characters = left.match(/%.{0,2}(?:%[89ab].)*|\\u.{0,4}|\\.|&[#\w]+;|./gisu) ?? []
        expect(characters.length).toBeLessThanOrEqual(4)
      }),
      { numRuns: 1000 },
    )
  }, 30_000)
})

test('the end of a whole text may look like the beginning of a secret', () => {
  expect(createRedactor(['hunter2-and-more'])('a hunter2')).toBe('a hunter2')
})
