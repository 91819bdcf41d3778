import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/rules/redaction/create-redactor.ts'

const redact = (secret: string, text: string, end: 'whole' | 'cut' = 'whole') =>
  createRedactor([secret])(text, end)

describe('a secret that a host name holds is taken out', () => {
  test.each([
    ['as a label in punycode', 'bücher', 'a.xn--bcher-kva.test.', 'a.<redacted>.test.'],
    [
      'as a part of a label, of which nothing is left',
      'bücher',
      `${domainToASCII('a-bücher-b')}.test`,
      '<redacted>.test',
    ],
    ['in ASCII beside other letters', 'k9Qz7', `${domainToASCII('ük9Qz7ü')}.test`, '<redacted>.test'],
    ['in capital letters', 'BÜCHER', 'XN--BCHER-KVA.test', '<redacted>.test'],
    ['as letters that a name is told in otherwise', 'ＢÜcher', 'bücher.test', '<redacted>.test'],
    ['as several labels', 'bücher.müller', 'xn--bcher-kva.xn--mller-kva.test', '<redacted>.test'],
    ['in a URL in JSON', 'bücher', '"http:\\/\\/xn--bcher-kva\\/"', '"http:\\/\\/<redacted>\\/"'],
    ['as hex', 'bücher', Buffer.from('xn--bcher-kva').toString('hex'), '<redacted>'],
    ['as an address of IPv6', '2001:DB8:0:0::7', '[2001:db8::7]:53', '[<redacted>]:53'],
  ])('%s', (_how, secret, text, told) => {
    expect(redact(secret, text)).toBe(told)
  })

  test('wherever it stands in a label, and whatever letters stand beside it', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abz019-éüß漢ключ'), maxLength: 8 })
    const secrets = fc
      .tuple(letters, fc.constantFrom('k9Qz7', 'k9é7Z', 'ключ', '漢字Q'), letters)
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(letters, secrets, letters, (before, secret, after) => {
        const name = domainToASCII(`${before}${secret}${after}.test`)
        fc.pre(name.startsWith('xn--'))
        // What is sent is what is left of the secret by the rules of names: its letters in lower case, composed.
        expect(domainToUnicode(name)).toContain(secret.toLowerCase())
        expect(redact(secret, `say ${name} again`)).toBe('say <redacted>.test again')
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['a label of its own', 'bücher-und-mehr', 'a xn--bcher-und', 'a <redacted>'],
    ['all that could be one', 'bücher', 'a xn--', 'a <redacted>'],
    ['no label of another name', 'bücher', 'xn--mller-kva.a', 'xn--mller-kva.a'],
  ])('at the end of a text that was cut: %s', (_what, secret, text, told) => {
    expect(redact(secret, text, 'cut')).toBe(told)
  })

  test('and leaves other names as they are, also those that are none', () => {
    const text = 'xn--mller-kva.test xn-- xn--99999999999999 xn--a-! XN--é'
    expect(redact('bücher', text)).toBe(text)
  })
})

describe('a secret in the answer of a name server is taken out', () => {
  const secret = 'k9é"\\($漢😀Q'
  const decimals = Array.from(Buffer.from(secret), (byte) =>
    /\w/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`,
  ).join('')

  test.each([
    ['with decimals for all that is no letter or digit', decimals],
    ['with decimals for what is no ASCII', 'k9\\195\\169\\"\\\\\\(\\$\\230\\188\\162\\240\\159\\152\\128Q'],
    ['in Latin-1', 'k9\\233Qz'],
    ['in two strings', 'k9\\195\\169\\"\\\\" "\\(\\$\\230\\188\\162\\240\\159\\152\\128Q'],
  ])('%s', (_how, written) => {
    const sought = written.endsWith('z') ? 'k9éQz' : secret
    expect(redact(sought, `a.test.\t60\tIN\tTXT\t"a ${written} b"`)).toBe(
      'a.test.\t60\tIN\tTXT\t"a <redacted> b"',
    )
    expect(redact(sought, JSON.stringify(written))).toBe('"<redacted>"')
  })

  test('also where it was cut in the middle of a character', () => {
    expect(redact('hunter漢字', 'a hunter\\230\\188', 'cut')).toBe('a <redacted>')
    expect(redact('hunter漢字', 'a hunter\\230\\1', 'cut')).toBe('a <redacted>')
  })
})

test.each([
  ['labels in punycode', 'xn--bcher-kva.'],
  ['beginnings of them', 'xn--'],
  ['decimals', '\\195\\169'],
  ['strings', '" "'],
])(
  'a million characters of %s take no time to speak of',
  (_what, part) => {
    const text = part.repeat(1_048_576 / part.length)
    expect(redact('пароль', text, 'cut').length).toBeGreaterThan(1_000_000)
  },
  3000,
)
