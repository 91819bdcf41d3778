import { type Answer, decode } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DnsRequest } from '../../../src/contract/checks/dns/request.ts'
import { type DnsQuery, dnsQuery } from '../../../src/runner/dns/dns-query.ts'
import { readMessage } from '../../../src/runner/dns/read-message.ts'
import { replyTo } from '../../support/dns-messages.ts'

const query = (type: DnsRequest['recordType'] = 'A', name = 'a.test') => dnsQuery({ name, type, edns: true })

function answerTo(asked: DnsQuery, message: Buffer) {
  const read = readMessage(message, asked)
  if (read.kind !== 'answer') throw new Error(read.kind === 'bad' ? read.fault.message : 'unfit')
  return read.answer
}

/** The line and the data of one record. */
function written(record: Answer) {
  const asked = query()
  const { text, json } = answerTo(asked, replyTo(asked.message, { answers: [record] }))
  return [text, json.Answer[0]?.data]
}

/** Header and question of an answer with so many records, before their bytes. */
function answerWith(asked: DnsQuery, records: number, ...bytes: (Uint8Array | readonly number[])[]): Buffer {
  const head = replyTo(asked.message)
  head.writeUInt16BE(records, 6)
  return Buffer.concat([head, ...bytes.map((part) => Buffer.from(part))])
}

const fields = (type: number, length: number) => [0, type, 0, 1, 0, 0, 0, 60, length >> 8, length & 0xff]
/** Where the first record begins after the question for a.test. */
const first = 12 + 8 + 4

describe('a record is written as dig writes it', () => {
  const a = { name: 'a.test', ttl: 60, class: 'IN' } as const
  const soa = { serial: 7, refresh: 3600, retry: 600, expire: 86_400, minimum: 60 }
  test.each<[Answer, string, string]>([
    [{ ...a, type: 'A', data: '192.0.2.1' }, 'A', '192.0.2.1'],
    [{ ...a, type: 'AAAA', data: '2001:db8:0:0:1:0:0:1' }, 'AAAA', '2001:db8::1:0:0:1'],
    [{ ...a, type: 'CNAME', data: 'b.test' }, 'CNAME', 'b.test.'],
    [{ ...a, type: 'DNAME', data: 'b.test' }, 'DNAME', 'b.test.'],
    [{ ...a, type: 'NS', data: '.' }, 'NS', '.'],
    [{ ...a, type: 'MX', data: { preference: 10, exchange: 'mail.test' } }, 'MX', '10 mail.test.'],
    [
      { ...a, type: 'SOA', data: { mname: 'ns.test', rname: 'first\\.last.test', ...soa } },
      'SOA',
      'ns.test. first\\.last.test. 7 3600 600 86400 60',
    ],
    [{ ...a, type: 'CERT', data: Buffer.from('c0ffee', 'hex') }, 'TYPE37', '\\# 3 C0FFEE'],
    [{ ...a, type: 'NULL', data: Buffer.alloc(0) }, 'TYPE10', '\\# 0'],
    [{ ...a, type: 'SRV', data: { port: 1, target: '.' } }, 'TYPE33', '\\# 7 00000000000100'],
    [{ ...a, class: 'CH', type: 'A', data: '192.0.2.1' }, 'A', '192.0.2.1'],
  ])('%j', (record, type, data) => {
    const className = 'class' in record ? record.class : 'IN'
    expect(written(record)).toEqual([`a.test.\t60\t${className}\t${type}\t${data}`, data])
  })

  test.each<[string, (string | Buffer)[], string, string]>([
    ['one string', ['v=spf1 -all'], '"v=spf1 -all"', 'v=spf1 -all'],
    ['several strings', ['v=DKIM1; p=', 'abc'], '"v=DKIM1; p=" "abc"', 'v=DKIM1; p=abc'],
    ['quotes', ['say "no\\"'], '"say \\"no\\\\\\""', 'say "no\\"'],
    ['other bytes', [Buffer.from('é\n')], '"\\195\\169\\010"', 'é\n'],
    ['nothing', [''], '""', ''],
  ])('TXT with %s', (_what, data, quoted, text) => {
    expect(written({ type: 'TXT', name: 'a.test', ttl: 60, data })).toEqual([
      `a.test.\t60\tIN\tTXT\t${quoted}`,
      text,
    ])
  })

  test('names take no more than their place in a line', () => {
    const [line] = written({ type: 'NS', name: 'a b\t.te(st', ttl: 60, data: 'x;y\t.é' })
    expect(line).toBe('a\\032b\\009.te\\(st.\t60\tIN\tNS\tx\\;y\\009.\\195\\169.')
  })

  test('a chain of aliases is told as it is', () => {
    const asked = query()
    const answers: Answer[] = [
      { type: 'CNAME', name: 'a.test', ttl: 5, data: 'b.test' },
      { type: 'A', name: 'b.test', ttl: 60, data: '192.0.2.1' },
    ]
    const { text } = answerTo(asked, replyTo(asked.message, { answers }))
    expect(text).toBe('a.test.\t5\tIN\tCNAME\tb.test.\nb.test.\t60\tIN\tA\t192.0.2.1')
  })
})

describe('an answer that cannot be read says why', () => {
  const pointer = (to: number) => [0xc0 | (to >> 8), to & 0xff]
  const asked = query()
  test.each<[string, Buffer, string]>([
    [
      'a pointer to itself',
      answerWith(asked, 1, pointer(first), fields(1, 4), [1, 2, 3, 4]),
      'a name in it points in a circle',
    ],
    [
      'a pointer ahead',
      answerWith(asked, 1, pointer(first + 20), fields(1, 4), [1, 2, 3, 4]),
      'a name in it points in a circle',
    ],
    [
      'a circle of two',
      answerWith(asked, 1, pointer(12), fields(5, 3), [1, 97, ...pointer(first + 12)].slice(0, 4), []),
      'a name in it points in a circle',
    ],
    [
      'a label of an unknown kind',
      answerWith(asked, 1, [0x80], fields(1, 4), [1, 2, 3, 4]),
      'a name in it has a label of an unknown kind',
    ],
    ['a name without an end', answerWith(asked, 1, Buffer.alloc(300, '\x01a')), 'a name in it is too long'],
    [
      'fewer records than it counts',
      answerWith(asked, 2, pointer(12), fields(1, 4), [1, 2, 3, 4]),
      'it ends in the middle of a record',
    ],
    [
      'a record beyond its end',
      answerWith(asked, 1, pointer(12), fields(1, 5), [1, 2, 3, 4]),
      'it ends in the middle of a record',
    ],
    [
      'an address of five bytes',
      answerWith(asked, 1, pointer(12), fields(1, 5), [1, 2, 3, 4, 5]),
      'a record in it has a wrong length',
    ],
    [
      'an address of IPv6 of four',
      answerWith(asked, 1, pointer(12), fields(28, 4), [1, 2, 3, 4]),
      'a record in it has a wrong length',
    ],
    [
      'text longer than its record',
      answerWith(asked, 1, pointer(12), fields(16, 2), [9, 97]),
      'a record in it has a wrong length',
    ],
    [
      'a name longer than its record',
      answerWith(asked, 1, pointer(12), fields(2, 1), [1, 97, 0]),
      'a record in it has a wrong length',
    ],
    [
      'an exchange that is cut off',
      answerWith(asked, 1, pointer(12), fields(15, 2), [0, 10]),
      'it ends in the middle of a record',
    ],
    [
      'numbers that are cut off',
      answerWith(asked, 1, pointer(12), fields(6, 4), [0, 0, 1, 2]),
      'a record in it has a wrong length',
    ],
  ])('%s', (_what, message, why) => {
    const read = readMessage(message, asked)
    expect(read.kind === 'bad' && read.fault.message).toBe(
      `The answer of the name server cannot be read: ${why}`,
    )
  })

  test('though only its authority is broken', () => {
    const message = answerWith(asked, 0, pointer(12), fields(2, 9))
    message.writeUInt16BE(1, 8)
    expect(readMessage(message, asked).kind).toBe('bad')
  })
})

describe('an answer that is made to be expensive', () => {
  const mostMs = 250

  test('by names that point a thousand times is refused', () => {
    const asked = query()
    const chain = Array.from({ length: 1000 }, (_, index) => {
      const to = index === 0 ? 12 : first + 12 + (index - 1) * 2
      return [0xc0 | (to >> 8), to & 0xff]
    }).flat()
    const end = first + 12 + chain.length - 2
    const more = Array.from({ length: 4000 }, () => [
      0xc0 | (end >> 8),
      end & 0xff,
      ...fields(1, 4),
      1,
      2,
      3,
      4,
    ])
    const message = answerWith(asked, 4001, [0xc0, 12], fields(10, chain.length), chain, ...more)
    const beforeMs = performance.now()
    expect(readMessage(message, asked).kind).toBe('bad')
    expect(performance.now() - beforeMs).toBeLessThan(mostMs)
  })

  test('by thousands of long names is read as far as it is kept', () => {
    const name = Array.from({ length: 4 }, () => 'x'.repeat(61)).join('.')
    const asked = query('NS', name)
    const records = Array.from({ length: 4600 }, () => [0xc0, 12, ...fields(2, 2), 0xc0, 12])
    const beforeMs = performance.now()
    const answer = answerTo(asked, answerWith(asked, 4600, ...records))
    expect(performance.now() - beforeMs).toBeLessThan(mostMs)
    expect(answer.truncated).toBe(true)
    expect(answer.text.length).toBeLessThan(1_000_000)
    expect(answer.json.Answer.length).toBeGreaterThan(500)
  })

  test('by as many records as there is room for is read', () => {
    const asked = query('TXT')
    const records = Array.from({ length: 4600 }, () => [0xc0, 12, ...fields(16, 1), 0])
    expect(answerTo(asked, answerWith(asked, 4600, ...records)).json.Answer.length).toBe(4600)
  })
})

/** PICKET_FUZZ_RUNS: how many messages, 20,000 unless told. */
const numRuns = Number(process.env['PICKET_FUZZ_RUNS'] ?? 20_000)

const label = fc.stringMatching(/^[a-z0-9-]{1,12}$/)
const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
const number32 = fc.nat({ max: 0xffff_ffff })
const data = fc.oneof(
  fc.ipV4().map((address) => ({ type: 'A' as const, data: address })),
  domain.map((name) => ({ type: 'CNAME' as const, data: name })),
  domain.map((name) => ({ type: 'NS' as const, data: name })),
  fc
    .record({ preference: fc.nat({ max: 65_535 }), exchange: domain })
    .map((mx) => ({ type: 'MX' as const, data: mx })),
  fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 4 }).map((texts) => ({
    type: 'TXT' as const,
    data: texts.map((text) => Buffer.from(text)),
  })),
  fc
    .record({ mname: domain, rname: domain, serial: number32, minimum: number32 })
    .map((soa) => ({ type: 'SOA' as const, data: soa })),
)
const record = fc
  .tuple(domain, fc.nat({ max: 0x7fff_ffff }), data)
  .map(([name, ttl, rest]): Answer => ({ name, ttl, ...rest }))
const reply = fc.array(record, { maxLength: 5 })

/** Changes that a message may suffer on its way, or by one who means ill. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: fc.nat(), byte: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), byte: fc.constant(0) }),
  fc.record({ kind: fc.constant('point' as const), at: fc.nat(), byte: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('double' as const), at: fc.nat(), byte: fc.constant(0) }),
)

function changed(message: Buffer, { kind, at, byte }: { kind: string; at: number; byte: number }): Buffer {
  const place = 4 + (at % Math.max(message.length - 4, 1))
  const copy = Buffer.from(message)
  if (kind === 'cut') return copy.subarray(0, place)
  if (kind === 'double') return Buffer.concat([copy.subarray(0, place), copy.subarray(place / 2)])
  if (place < copy.length) copy[place] = kind === 'point' ? 0xc0 : byte
  if (kind === 'point' && place + 1 < copy.length) copy[place + 1] = byte
  return copy
}

describe('whatever comes', () => {
  const asked = query()

  test('a valid answer is read as the library reads it', () => {
    fc.assert(
      fc.property(reply, (answers) => {
        const message = replyTo(asked.message, { answers })
        const { json, text } = answerTo(asked, message)
        const expected = decode(message).answers ?? []
        expect(json.Answer.map(({ name, type }) => [name, type])).toEqual(
          expected.map(({ name, type }) => [`${name}.`, type]),
        )
        expect(text === '' ? 0 : text.split('\n').length).toBe(answers.length)
      }),
      { numRuns: 300 },
    )
  })

  test('is an answer, a bad one or none at all, and quickly', { timeout: 600_000 }, () => {
    const kinds = new Map<string, number>()
    const seen = (message: Buffer) => {
      const beforeMs = performance.now()
      const { kind } = readMessage(message, asked)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      // Far more than it takes: the machine may be busy.
      expect(performance.now() - beforeMs).toBeLessThan(1000)
    }
    const changedReply = fc
      .tuple(reply, fc.array(change, { minLength: 1, maxLength: 6 }))
      .map(([answers, changes]) => changes.reduce(changed, replyTo(asked.message, { answers })))
    // The head of an answer, so that what follows is looked at.
    const random = fc
      .tuple(fc.uint8Array({ maxLength: 600 }), fc.nat({ max: 40 }))
      .map(([bytes, records]) => answerWith(asked, records, bytes))
    const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(
        fc.oneof({ weight: 8, arbitrary: changedReply }, { weight: 3, arbitrary: random }, anything),
        seen,
      ),
      { numRuns },
    )
    expect([...kinds.keys()].sort()).toEqual(['answer', 'bad', 'unfit'])
  })
})
