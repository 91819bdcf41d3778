import fc from 'fast-check'

const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: [inner] }), null)

/** What a field is least ready for. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    -0,
    0.5,
    1e21,
    -1e308,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    Number.MIN_VALUE,
    '',
    ' ',
    '0',
    '1e400',
    'NaN',
    'null',
    '\u0000',
    '\ud800',
    'a\udc00b',
    '\u202e\ufeff\u200d',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    "' or 1=1 --",
    '%00%ff',
    '{{',
    '{{#each this}}{{/each}}',
    '{{constructor.constructor}}',
    '$..*',
    '(?:a+)+$',
    '9999-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    '2026-02-30',
    'http://[::1',
    'http://user:pass@169.254.169.254/',
    'javascript:alert(1)',
  ),
  fc.constantFrom<unknown>([], {}, [null], [[]], [[[]]], { length: 1e9 }, { toString: 1 }, { toJSON: 'x' }),
  fc.constantFrom(
    'x'.repeat(300),
    '😀'.repeat(3000),
    'a'.repeat(100_000),
    '\u0000'.repeat(1000),
    '-'.repeat(70_000),
  ),
  fc.constantFrom<unknown>(
    nested(30),
    nested(2000),
    Array(5000).fill(null),
    Array(2000).fill({}),
    Array(1001).fill('x'),
  ),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
)

type Path = readonly (string | number)[]

/** Deeper down is what was hostile before. */
const deepest = 8

function pathsIn(value: unknown, here: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || here.length === deepest) return [here]
  return [here, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...here, key]))]
}

function put(value: unknown, [key, ...rest]: Path, hostile: unknown): unknown {
  if (key === undefined) return hostile
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? put(item, rest, hostile) : item))
  if (typeof value !== 'object' || value === null) return hostile
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === key ? put(inner, rest, hostile) : inner]),
  )
}

/** The body with one or two of its values, itself perhaps, become hostile. */
export const spoilt = (bodies: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(bodies, fc.array(fc.tuple(fc.nat(), hostileValue), { minLength: 1, maxLength: 2 }))
    .map(([body, changes]) =>
      changes.reduce<unknown>((changed, [at, hostile]) => {
        const paths = pathsIn(changed)
        return put(changed, paths[at % paths.length] ?? [], hostile)
      }, body),
    )

/** Not JSON, or not quite: what is sent in the place of these bytes of a body. */
export const mangled = (text: string): fc.Arbitrary<Buffer> => {
  const bytes = Buffer.from(text)
  return fc.oneof(
    fc.nat(bytes.length).map((end) => bytes.subarray(0, end)),
    fc
      .nat(bytes.length)
      .map((at) =>
        Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(at)]),
      ),
    fc.constantFrom(
      Buffer.from(`${text.slice(0, -1)},"__proto__":{"name":"p"},"constructor":{"prototype":{"name":"p"}}}`),
      Buffer.from(text.replace('{', '{"name":"first","name":null,')),
      Buffer.from(text.replace(/:\d+/g, ':1e999')),
      Buffer.from(text.replace(/:("[^"]*"|\d+)/g, ':NaN')),
      Buffer.from(text.replace(/\[/g, '[,')),
      Buffer.from(`[${text},${text}]`),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(`${text}${text}`),
      Buffer.from('"'),
      Buffer.from('['.repeat(20_000)),
      Buffer.from(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
      Buffer.alloc(100, 0),
    ),
  )
}
