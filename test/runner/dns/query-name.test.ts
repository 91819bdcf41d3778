import { describe, expect, test } from 'vitest'
import { queryName } from '../../../src/runner/dns/query-name.ts'

describe('a name is asked for', () => {
  test.each([
    ['as it is', 'a.example', 'a.example'],
    ['in its own letters', 'A.eXample', 'A.eXample'],
    ['without a dot at its end', 'a.example.', 'a.example'],
    ['as the root', '.', '.'],
    ['without blanks around it', ' a.example\n', 'a.example'],
    ['with underscores', '_dmarc.a.example', '_dmarc.a.example'],
    ['with a star', '*.a.example', '*.a.example'],
    ['with a percent sign', '100%.example', '100%.example'],
    ['in punycode', 'bücher.example.', 'xn--bcher-kva.example'],
    ['with the dots of other scripts', '例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['that looks like an address', '192.0.2.1', '192.0.2.1'],
    ['with labels of 63 bytes', `${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
    ['of 253 bytes', `${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
  ])('%s', (_how, written, name) => {
    expect(queryName(written)).toBe(name)
  })
})

describe('there is no name', () => {
  test.each([
    ['of nothing', ' '],
    ['with an empty label', 'a..example'],
    ['with a dot before it', '.example'],
    ['of two dots', '..'],
    ['with a label of 64 bytes', `${'a'.repeat(64)}.test`],
    ['of 254 bytes', `${'a.'.repeat(127)}`.slice(0, -1).concat('b')],
    ['with a blank', 'a b.example'],
    ['with an escape', 'a\\.b.example'],
    ['with a control character', 'a\u0007.example'],
    ['that is too long in punycode', `${'ü'.repeat(70)}.example`],
    ['of letters that make none', 'xn--a.ü'],
    ['that would end early in a URL', 'ü/b.example'],
    ['of an escaped URL', 'ü%41.example'],
  ])('%s', (_how, written) => {
    expect(queryName(written)).toBeNull()
  })
})
