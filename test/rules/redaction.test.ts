import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/rules/redaction/create-redactor.ts'
import { anySecret, encodings, tracesOf } from '../support/secret-traces.ts'

const redact = (secret: string, text: string) => createRedactor([secret])(text)

describe('a secret is taken out', () => {
  const secret = 'p@ss/w+rd "é" <&\'%=漢'

  test.each(Object.entries(encodings))('%s', (_, encode) => {
    expect(redact(secret, `a ${encode(secret)} b`)).toMatch(/^a .{0,2}<redacted>.{0,2} b$/)
  })

  test.each([
    ['with entities by name and number', 'p@ss/w+rd &quot;&#233;&quot; &lt;&amp;&apos;%=&#x6F22;'],
    ['with letters beyond ASCII in the percent signs of Latin-1', 'p@ss/w+rd "%E9" <&\'%25=漢'],
    ['in a path', "/p@ss/w+rd%20%22%C3%A9%22%20%3C&'%=%E6%BC%A2"],
    ['in JSON as some write it', 'p@ss\\/w+rd \\"\\u00e9\\" \\u003c\\u0026\\u0027%=\\u6f22'],
    [
      'escaped for HTML in JSON in a URL',
      encodeURIComponent(JSON.stringify('p@ss/w+rd &quot;é&quot; &lt;&amp;&#x27;%&#x3D;漢')),
    ],
    ['in UTF-8 that was read as Latin-1', Buffer.from(secret).toString('latin1')],
  ])('%s', (_, text) => {
    expect(redact(secret, text)).toContain('<redacted>')
    expect(redact(secret, text)).not.toContain('@ss')
  })

  test('in base64 with something before and after it, in lines of any length', () => {
    const long = 'k9Qz7-and-some-more-that-is-long-enough-to-be-in-three-lines-of-base64-when-they-are-short'
    fc.assert(
      fc.property(fc.nat(70), fc.nat(70), fc.integer({ min: 32, max: 76 }), (before, after, width) => {
        const bytes = Buffer.concat([Buffer.alloc(before, 'b'), Buffer.from(long), Buffer.alloc(after, 'a')])
        const lines = bytes.toString('base64').replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
        const left = redact(long, lines).replace('<redacted>', '').replaceAll('\r\n', '')
        const inner = Math.floor((long.length * 8) / 6) - 1
        expect(left.length).toBeLessThanOrEqual(lines.replaceAll('\r\n', '').length - inner)
      }),
    )
  })

  const twice = Object.keys(encodings).filter((name) => name.includes(' in '))
  const once = Object.keys(encodings).filter((name) => !twice.includes(name))

  test.each([
    ['once', once, 'aF0% "\\&;=+'],
    // A percent sign in the secret may make another escape of digits that stand beside it.
    ['twice', twice, '"\\&;=+ '],
  ])(
    'whatever it is, whatever it is encoded as, %s, and whatever stands beside it',
    (_, names, signs) => {
      const beside = fc.string({ unit: fc.constantFrom(...signs), maxLength: 4 })
      fc.assert(
        fc.property(anySecret, fc.constantFrom(...names), beside, beside, (secret, name, before, after) => {
          const told = redact(secret, `${before}${encodings[name]?.(secret)}${after}`)
          expect(tracesOf(secret, told)).toEqual([])
          expect(told).toContain('<redacted>')
        }),
        { numRuns: 1000 },
      )
    },
    30_000,
  )

  test.each([
    [
      'in lower case, as host names are',
      'TenantK9Qz',
      'http://tenantk9qz.example/',
      'http://<redacted>.example/',
    ],
    ['without the blanks around it', ' \tk9Qz7\n', 'Bearer k9Qz7', 'Bearer <redacted>'],
    ['without the line breaks in it, as URLs keep it', 'k9Qz\n7x', '/?a=k9Qz7x', '/?a=<redacted>'],
    ['with its slashes turned, as URLs keep it', 'k9Qz\\7x', 'http://a/k9Qz/7x', 'http://a/<redacted>'],
    ['behind what its first letter makes an escape of', "ak9Qz7':a", '%aak9Qz7%27%3Aa', '%a<redacted>'],
    [
      'up to where a URL takes it for a fragment',
      'k9Qz7longer#x',
      'http://a/k9Qz7longer',
      'http://a/<redacted>',
    ],
    [
      'up to an escape that a URL takes for a fragment',
      'k9Qz7longer==',
      '/?a=k9Qz7longer&',
      '/?a=<redacted>&',
    ],
  ])('%s', (_, secret, text, told) => {
    expect(redact(secret, text)).toBe(told)
  })
})

describe('secrets', () => {
  test.each([
    [['hunter2'], 'hunter2 hunter2', '<redacted> <redacted>'],
    [['hunter2'], 'hunter2hunter2', '<redacted>'],
    [['hunter', 'hunter2'], 'a hunter2', 'a <redacted>'],
    [['hunter2', 'hunter'], 'a hunter2 hunter', 'a <redacted> <redacted>'],
    [['abcdef', 'defghi'], 'xabcdefghiy', 'x<redacted>y'],
    [['abab'], 'x abababab y ababab z', 'x <redacted> y <redacted> z'],
    [['aabaa'], 'xaabaabaay aabaaabaa', 'x<redacted>y <redacted>'],
    [['a.c$'], 'abc$ a.c$', 'abc$ <redacted>'],
    [['$&', '$1'], 'a $& $1', 'a <redacted> <redacted>'],
  ])('%j of %j: %j is left', (secrets, text, told) => {
    expect(createRedactor(secrets)(text)).toBe(told)
  })

  test('of which there are none leave every text as it is', () => {
    expect(createRedactor([])('a')).toBe('a')
    expect(createRedactor(['', ' ', '\n'])('a b\n')).toBe('a b\n')
  })

  test('that do not stand in a text leave it as it is, escapes and all', () => {
    const text = '{"a":"%20\\n\\u00e9&amp;"}\r\n+'
    expect(createRedactor(['hunter2', 'пароль', 'x'])(text)).toBe(text)
  })

  test('of one to three characters are taken out as they are and in escapes, and leave base64 and hex alone', () => {
    const base64 = Buffer.from('7z"').toString('base64')
    expect(redact('7z"', `7z" 7z%22 7z\\" ${base64} 377a22`)).toBe(
      `<redacted> <redacted> <redacted> ${base64} 377a22`,
    )
    expect(redact('7', '1972')).toBe('19<redacted>2')
  })

  test('may be many: each is found', () => {
    const secrets = Array.from({ length: 200 }, (_, index) => `secret-${index}-${index * 7919}`)
    const told = createRedactor(secrets)(secrets.map((secret) => `<${secret}>`).join(''))
    expect(told).toBe('<<redacted>>'.repeat(200))
  })
})

const million = 1_048_576
const longest = 65_536

test.each([
  [
    'a row of one letter in the text and in the secret',
    'a'.repeat(longest),
    'a'.repeat(million),
    '<redacted>',
  ],
  [
    'one letter that differs at the end',
    `${'a'.repeat(longest - 1)}b`,
    'a'.repeat(million),
    'a'.repeat(million),
  ],
  [
    'one letter that differs at the start',
    `b${'a'.repeat(longest - 1)}`,
    'a'.repeat(million),
    'a'.repeat(million),
  ],
  ['percent signs only', 'a%b', '%25'.repeat(million / 4), '%25'.repeat(million / 4)],
  ['backslashes only', 'a\\b', '\\'.repeat(million), '\\'.repeat(million)],
  ['line breaks only', 'a\nb', '\n'.repeat(million), '\n'.repeat(million)],
])(
  '%s take no time to speak of',
  (_, secret, text, told) => {
    expect(redact(secret, text) === told).toBe(true)
  },
  3000,
)
