import type { Answer } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { startBlackHole } from '../../support/black-hole.ts'
import { answered, at, unanswered } from '../../support/dns-attempt.ts'
import { type DnsLies, startDnsLiar } from '../../support/dns-liar.ts'
import { framed, replyTo } from '../../support/dns-messages.ts'
import { freePort } from '../../support/free-port.ts'
import { one } from '../../support/honest-dns.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'

const other: Answer = { type: 'A', name: 'a.test', ttl: 60, data: '192.0.2.2' }
/** Before a datagram is sent again. */
const shortly = { attemptMs: 300 }

describe('what nobody asked for', () => {
  test.each<[string, (question: Buffer) => Buffer]>([
    ['another id', (question) => replyTo(question, { id: question.readUInt16BE(0) ^ 1, answers: [other] })],
    ['another name', (question) => replyTo(question, { name: 'b.test', answers: [other] })],
    ['another type', (question) => replyTo(question, { type: 'AAAA', answers: [other] })],
    ['the question itself', (question) => question],
    ['an answer without its question', (question) => replyTo(question, { bare: true, answers: [other] })],
    ['half a header', (question) => replyTo(question).subarray(0, 7)],
    ['nothing', () => Buffer.alloc(0)],
  ])('is waited past: %s', async (_what, lie) => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => {
        reply(lie(question))
        reply(replyTo(question, { answers: [one] }))
      },
    })
    const { observation } = await answered(at(liar))
    expect(observation).toMatchObject({ unfit: 1, response: { json: { Answer: [{ data: '192.0.2.1' }] } } })
  })

  test('is not heard where it comes from another port', async () => {
    const heard: (() => void)[] = []
    await using liar = await startDnsLiar({
      udp: (question, reply, _count, port) => {
        liar.sendAside(replyTo(question, { answers: [other] }), port)
        heard.push(() => reply(replyTo(question, { answers: [one] })))
        setImmediate(() => heard[0]?.())
      },
    })
    const { observation } = await answered(at(liar))
    expect(observation).toMatchObject({ unfit: 0, response: { json: { Answer: [{ data: '192.0.2.1' }] } } })
  })

  test('ends in a time-out that tells of it, when nothing else comes', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => {
        for (const id of [1, 2]) reply(replyTo(question, { id: question.readUInt16BE(0) ^ id }))
      },
    })
    expect(await unanswered(at(liar), shortly)).toMatchObject({
      kind: 'timed-out',
      during: 'firstByte',
      cause: {
        class: 'first-byte-timeout',
        message: 'The target did not begin to answer in time; 2 answers did not fit the question',
      },
      evidence: { sent: 1, unfit: 2 },
    })
  })
})

describe('a name server fails', () => {
  test('that is silent over UDP', async () => {
    await using liar = await startDnsLiar({})
    const outcome = await unanswered(at(liar), shortly)
    expect(outcome).toMatchObject({
      kind: 'timed-out',
      during: 'firstByte',
      cause: { class: 'first-byte-timeout', message: 'The target did not begin to answer in time' },
      evidence: { addresses: [{ address: '127.0.0.1', fate: 'abandoned' }], sent: 1 },
    })
    expect(outcome.timings.totalUs).toBeGreaterThan(290_000)
  })

  test('that nobody listens for over UDP', async () => {
    const port = await freePort()
    expect(await unanswered(at({ port }))).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'refused', code: 'ECONNREFUSED', phase: 'firstByte' },
      evidence: { addresses: [{ address: '127.0.0.1', fate: 'failed', code: 'ECONNREFUSED' }] },
    })
  })

  test('that nobody listens for over TCP', async () => {
    const port = await freePort()
    expect(await unanswered({ protocol: 'TCP', ...at({ port }) })).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'refused', code: 'ECONNREFUSED', phase: 'connect' },
    })
  })

  test('that takes no connection', async () => {
    await using hole = await startBlackHole()
    const before = openNow()
    expect(await unanswered({ protocol: 'TCP', ...at(hole) }, shortly)).toMatchObject({
      kind: 'timed-out',
      during: 'connect',
      cause: { class: 'connect-timeout' },
      evidence: { addresses: [{ fate: 'abandoned' }], sent: 0 },
    })
    await closedAgain(before)
  })

  test('that answers too long for UDP, and does not listen over TCP', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { truncated: true })),
      tcp: (_question, socket) => socket.resetAndDestroy(),
    })
    expect(await unanswered(at(liar))).toMatchObject({
      cause: { class: 'reset', code: 'ECONNRESET', phase: 'firstByte' },
      evidence: { sent: 2 },
    })
  })

  test.each<[string, DnsLies['tcp'], object]>([
    ['is silent', () => {}, { class: 'first-byte-timeout', phase: 'firstByte' }],
    ['hangs up', (_question, socket) => socket.end(), { class: 'closed', phase: 'firstByte' }],
    ['resets', (_question, socket) => socket.resetAndDestroy(), { class: 'reset', phase: 'firstByte' }],
    ['tells only a length', (_question, socket) => socket.end(Buffer.of(0, 40)), { class: 'truncated' }],
    [
      'stops in the middle',
      (question, socket) => socket.end(framed(replyTo(question, { answers: [one] })).subarray(0, 30)),
      { class: 'truncated', phase: 'download' },
    ],
    [
      'stalls in the middle',
      (question, socket) => socket.write(framed(replyTo(question, { answers: [one] })).subarray(0, 30)),
      { class: 'body-timeout', phase: 'download' },
    ],
    [
      'says less than a header',
      (_question, socket) => socket.write(framed(Buffer.alloc(5))),
      { class: 'dns-failed', code: 'EBADRESP', phase: 'download' },
    ],
    [
      'says nothing',
      (_question, socket) => socket.write(Buffer.of(0, 0)),
      { class: 'dns-failed', code: 'EBADRESP' },
    ],
    [
      'answers another question',
      (question, socket) => socket.write(framed(replyTo(question, { name: 'b.test' }))),
      {
        class: 'dns-failed',
        code: 'EBADRESP',
        message: 'The answer of the name server cannot be read: it does not answer the question',
      },
    ],
    [
      'answers with another id',
      (question, socket) => socket.write(framed(replyTo(question, { id: question.readUInt16BE(0) ^ 1 }))),
      { class: 'dns-failed', code: 'EBADRESP' },
    ],
    [
      'counts wrongly',
      (question, socket) => {
        const message = replyTo(question, { answers: [one] })
        socket.write(framed(message, message.length - 3))
      },
      {
        class: 'dns-failed',
        code: 'EBADRESP',
        message: 'The answer of the name server cannot be read: it ends in the middle of a record',
      },
    ],
  ])('that over TCP %s', async (_what, tcp, cause) => {
    await using liar = await startDnsLiar({ ...(tcp && { tcp }) })
    const outcome = await unanswered({ protocol: 'TCP', ...at(liar) }, shortly)
    expect(outcome.cause).toMatchObject(cause)
  })

  test('whose answer over UDP cannot be read', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { answers: [one] }).subarray(0, -2)),
    })
    expect(await unanswered(at(liar))).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'dns-failed', code: 'EBADRESP', phase: 'firstByte' },
      evidence: { addresses: [{ fate: 'connected' }] },
    })
  })
})
