import { type Answer, decode } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { answered, at, unanswered } from '../../support/dns-attempt.ts'
import { startDnsLiar } from '../../support/dns-liar.ts'
import { framed, replyTo } from '../../support/dns-messages.ts'
import { honest, one } from '../../support/honest-dns.ts'

const other: Answer = { type: 'A', name: 'a.test', ttl: 60, data: '192.0.2.2' }

describe('an answer', () => {
  test.each(['UDP', 'TCP'] as const)('over %s is what was said, and how long it took', async (protocol) => {
    await using liar = await startDnsLiar(honest)
    const outcome = await answered({ protocol, ...at(liar) })
    expect(outcome.observation).toEqual({
      question: { name: 'a.test.', type: 'A' },
      nameServer: `127.0.0.1 port ${liar.port}`,
      protocol,
      addresses: [{ address: '127.0.0.1', fate: 'connected', code: null, tookUs: expect.any(Number) }],
      sent: 1,
      unfit: 0,
      response: {
        server: liar.nameServer,
        protocol,
        bytes: 46,
        text: 'a.test.\t60\tIN\tA\t192.0.2.1',
        json: {
          Answer: [{ name: 'a.test.', type: 'A', TTL: 60, data: '192.0.2.1' }],
          Question: [{ name: 'a.test.', type: 'A' }],
          Status: 'NOERROR',
          TC: false,
          RD: true,
          RA: true,
          AD: false,
          CD: false,
        },
        truncated: false,
      },
    })
    const { totalUs, phasesUs } = outcome.timings
    const reached = protocol === 'UDP' ? ['firstByte'] : ['connect', 'firstByte', 'download']
    const took = Object.entries(phasesUs).filter(([, us]) => us !== null)
    expect(took.map(([phase]) => phase)).toEqual(reached)
    expect(took.reduce((sum, [, us]) => sum + (us ?? 0), 0)).toBe(totalUs)
  })

  test.each([
    [2, 'SERVFAIL'],
    [3, 'NXDOMAIN'],
    [5, 'REFUSED'],
    [11, 'RCODE11'],
  ])('with response code %i is one as well', async (code, name) => {
    await using liar = await startDnsLiar({ udp: (question, reply) => reply(replyTo(question, { code })) })
    const { observation } = await answered(at(liar))
    expect(observation.response.json).toMatchObject({ Status: name, Answer: [] })
    expect(liar.overUdp.length).toBe(1)
  })

  test('may have a response code that only EDNS has room for', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { extendedCode: 1 })),
    })
    expect((await answered(at(liar))).observation.response.json.Status).toBe('BADVERS')
  })

  test('may repeat the question in other letters', async () => {
    const answers = [{ ...one, name: 'A.tEST' }]
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { name: 'A.tEST', answers })),
    })
    const { json } = (await answered(at(liar))).observation.response
    expect(json.Answer).toEqual([{ name: 'A.tEST.', type: 'A', TTL: 60, data: '192.0.2.1' }])
  })

  test('that says it is too long for UDP is asked for over TCP', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { truncated: true })),
      tcp: (question, socket) => socket.end(framed(replyTo(question, { answers: [one, other] }))),
    })
    const { observation, timings } = await answered(at(liar))
    expect(observation.response).toMatchObject({ protocol: 'TCP', json: { TC: false } })
    expect(observation.response.json.Answer.length).toBe(2)
    expect(observation).toMatchObject({ protocol: 'UDP', sent: 2 })
    expect(timings.phasesUs.connect).not.toBeNull()
  })

  test('that is too long for UDP may be cut off anywhere', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(replyTo(question, { truncated: true, answers: [one] }).subarray(0, 33)),
      tcp: honest.tcp ?? (() => {}),
    })
    expect((await answered(at(liar))).observation.response.protocol).toBe('TCP')
  })

  test('may come in pieces over TCP, and with more after it', async () => {
    await using liar = await startDnsLiar({
      tcp: (question, socket) => {
        const bytes = Buffer.concat([framed(replyTo(question, { answers: [one] })), Buffer.alloc(50)])
        const rest = [...bytes].map((byte) => Buffer.of(byte))
        const next = () => {
          const piece = rest.shift()
          if (piece) socket.write(piece, () => setImmediate(next))
        }
        socket.setNoDelay(true)
        next()
      },
    })
    const { response } = (await answered({ protocol: 'TCP', ...at(liar) })).observation
    expect(response.json.Answer.length).toBe(1)
  })
})

describe('a lost datagram', () => {
  test('is sent again, and the response time tells of it', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply, count) => count > 1 && reply(replyTo(question, { answers: [one] })),
    })
    const { observation, timings } = await answered(at(liar))
    expect(observation.sent).toBe(2)
    expect(timings.totalUs).toBeGreaterThan(390_000)
    expect(liar.overUdp[1]).toEqual(liar.overUdp[0])
  })

  test('that was only late still counts', async () => {
    const held: (() => void)[] = []
    await using liar = await startDnsLiar({
      udp: (question, reply, count) => {
        if (count === 1) held.push(() => reply(replyTo(question, { answers: [other] })))
        else for (const answer of held) answer()
      },
    })
    const { response } = (await answered(at(liar))).observation
    expect(response.json.Answer[0]?.data).toBe('192.0.2.2')
  })
})

describe('a name server that is too old for EDNS', () => {
  test.each(['UDP', 'TCP'] as const)('is asked without it over %s', async (protocol) => {
    const said = (question: Buffer) =>
      question.readUInt16BE(10) > 0
        ? replyTo(question, { code: 1, bare: true })
        : replyTo(question, { answers: [one] })
    await using liar = await startDnsLiar({
      udp: (question, reply) => reply(said(question)),
      tcp: (question, socket) => socket.end(framed(said(question))),
    })
    const { observation } = await answered({ protocol, ...at(liar) })
    expect(observation).toMatchObject({ sent: 2, response: { json: { Status: 'NOERROR' } } })
  })

  test('may still not understand', async () => {
    await using liar = await startDnsLiar({ udp: (question, reply) => reply(replyTo(question, { code: 4 })) })
    const { observation } = await answered(at(liar))
    expect(observation).toMatchObject({ sent: 2, response: { json: { Status: 'NOTIMP' } } })
  })
})

describe('a question', () => {
  test('asks for recursion and says what it understands', async () => {
    await using liar = await startDnsLiar(honest)
    await answered({ query: 'A.Test.', recordType: 'MX', ...at(liar) })
    const [question] = liar.overUdp
    expect(question && decode(question)).toMatchObject({
      type: 'query',
      opcode: 'QUERY',
      flag_rd: true,
      flag_ad: true,
      flag_cd: false,
      questions: [{ name: 'A.Test', type: 'MX', class: 'IN' }],
      additionals: [{ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0, flag_do: false, options: [] }],
    })
  })

  test('has an id that cannot be guessed', async () => {
    await using liar = await startDnsLiar(honest)
    for (let count = 0; count < 8; count += 1) await answered(at(liar))
    expect(new Set(liar.overUdp.map((question) => question.readUInt16BE(0))).size).toBeGreaterThan(4)
  })

  test('that cannot be asked is said to be so, and nothing is sent', async () => {
    await using liar = await startDnsLiar(honest)
    expect(await unanswered({ query: 'a..test', ...at(liar) })).toMatchObject({
      kind: 'unreachable',
      cause: {
        class: 'invalid-request',
        phase: null,
        message: 'The query is not a name that could be asked for',
      },
      evidence: { question: { name: 'a..test', type: 'A' }, sent: 0, addresses: [] },
      timings: { totalUs: 0 },
    })
    expect(liar.overUdp).toEqual([])
  })
})

describe('a template in the query', () => {
  const host = { key: 'HOST', value: 'filled.test', locked: false, secret: false }

  test('is filled in before it is asked for', async () => {
    await using liar = await startDnsLiar(honest)
    const { observation } = await answered({ query: '{{HOST}}.', ...at(liar) }, { variables: [host] })
    expect(observation.question.name).toBe('filled.test.')
  })

  test('that names a variable which is not there is a failure, and nothing is sent', async () => {
    await using liar = await startDnsLiar(honest)
    expect(await unanswered({ query: '{{HOST}}', ...at(liar) })).toMatchObject({
      cause: { class: 'variable-missing', phase: null },
      evidence: { sent: 0 },
    })
    expect(liar.overUdp).toEqual([])
  })
})
