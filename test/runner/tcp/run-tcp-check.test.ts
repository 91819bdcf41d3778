import { describe, expect, test } from 'vitest'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import { judge } from '../../../src/rules/judge.ts'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import { freePort } from '../../support/free-port.ts'
import { startProxy } from '../../support/proxy.ts'
import { redisIsHere, skippedWithoutRedis, startRedis } from '../../support/redis-target.ts'
import { attemptTcp, tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const banner = 'SSH-2.0-OpenSSH_9.9\r\n'

/** Judges one attempt at a target that does this with each connection. */
async function judged(
  onConnection: Parameters<typeof startTcpTarget>[0],
  request: Partial<TcpRequest>,
  check: Parameters<typeof tcpDefinition>[2] = {},
) {
  await using target = await startTcpTarget(onConnection)
  const definition = tcpDefinition(target.port, request, check)
  const outcome = await attemptTcp(definition)
  return { outcome, ...judge(definition, outcome) }
}

describe('a connection', () => {
  test('is all there is to see where nothing is asserted on data: a target that keeps it open is not waited for', async () => {
    const { outcome, verdict } = await judged((socket) => socket.write(banner), {})
    expect(verdict).toMatchObject({ state: 'passing', reasons: [] })
    expect(outcome).toMatchObject({
      type: 'TCP',
      kind: 'observed',
      observation: {
        remoteAddress: '127.0.0.1',
        sentBytes: 0,
        received: { data: '', ending: 'not-asked' },
      },
    })
    expect(outcome.timings.totalUs).toBeLessThan(900_000)
    expect(outcome.timings.phasesUs).toMatchObject({ firstByte: null, download: null })
  })

  test('is told what is to be sent, every byte of it', async () => {
    const got = Promise.withResolvers<string>()
    const data = `héllo\r\n${'x'.repeat(200_000)}`
    const { outcome } = await judged(
      (socket) => {
        let text = ''
        socket.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
          if (text.length === data.length) {
            got.resolve(text)
            socket.write('thanks')
          }
        })
      },
      { data, assertions: [tcpAssertion({ target: 'thanks' })] },
    )
    expect(await got.promise).toBe(data)
    expect(outcome).toMatchObject({ observation: { sentBytes: Buffer.byteLength(data) } })
  })

  test('that is refused is what shouldFail expects, and one that is accepted is not', async () => {
    const refused = tcpDefinition(await freePort(), {}, { shouldFail: true })
    const outcome = await attemptTcp(refused)
    expect(judge(refused, outcome).verdict).toMatchObject({ state: 'passing', reasons: [] })
    const accepted = await judged(() => {}, {}, { shouldFail: true })
    expect(accepted.verdict.reasons).toEqual([
      'the target accepted the connection, and shouldFail expects it to be refused',
    ])
  })

  test('that shouldFail expects to be refused is still judged by its time and its assertions', async () => {
    const data = { assertions: [tcpAssertion({ target: 'x' })] }
    const definition = tcpDefinition(await freePort(), data, { shouldFail: true, maxResponseTimeMs: 0 })
    const { verdict } = judge(definition, await attemptTcp(definition))
    expect(verdict.reasons).toEqual([
      'expected RESPONSE_DATA CONTAINS x, but there was no connection',
      expect.stringMatching(/over maxResponseTime 0 ms$/),
    ])
  })

  test('goes through a tunnel of the location’s proxy, whatever is said in it', async () => {
    await using target = await startTcpTarget((socket) => socket.write(banner))
    await using proxy = await startProxy()
    const read = parseProxyUrl(`http://127.0.0.1:${proxy.port}`)
    if (!('settings' in read)) throw new Error(read.fault)
    const definition = tcpDefinition(target.port, { assertions: [tcpAssertion({ target: 'SSH-2.0' })] })
    const outcome = await attemptTcp(definition, { proxy: () => read.settings })
    expect(outcome).toMatchObject({ kind: 'observed', observation: { remoteAddress: null } })
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${target.port}`])
  })

  test('is no word of the target when the signal ends it', async () => {
    const stop = new AbortController()
    await using target = await startTcpTarget(() => stop.abort(new Error('told to stop')))
    const definition = tcpDefinition(target.port, { assertions: [tcpAssertion({ target: 'x' })] })
    await expect(attemptTcp(definition, {}, stop.signal)).rejects.toThrow('told to stop')
  })
})

describe('data of a target that keeps the connection open', () => {
  test('is enough as soon as what is asserted of it can change no more', async () => {
    const { outcome, verdict } = await judged((socket) => socket.write(banner), {
      assertions: [tcpAssertion({ target: 'SSH-2.0' })],
    })
    expect(verdict.state).toBe('passing')
    expect(outcome).toMatchObject({ observation: { received: { data: banner, ending: 'decided' } } })
  })

  test('is read on while what is asserted may still come, and silence is no part of the time', async () => {
    const { outcome, verdict } = await judged(
      (socket) => {
        socket.write('PO')
        setTimeout(() => socket.write('NG'), 1300)
      },
      { assertions: [tcpAssertion({ comparison: 'EQUALS', target: 'PONG' })] },
    )
    expect(verdict.state).toBe('passing')
    expect(outcome).toMatchObject({ observation: { received: { data: 'PONG', ending: 'idle' } } })
    // The second half came after 1.3 s; the second of silence after it is not counted.
    expect(outcome.timings.totalUs).toBeGreaterThan(1_200_000)
    expect(outcome.timings.totalUs).toBeLessThan(2_250_000)
  })

  test('is judged by a regular expression when there is silence', async () => {
    const { verdict, assertions } = await judged((socket) => socket.write(banner), {
      assertions: [tcpAssertion({ comparison: 'EQUALS', property: 'SSH-([0-9.]+)', target: '2.0' })],
    })
    expect(verdict.state).toBe('passing')
    expect(assertions[0]?.actual).toBe('2.0')
  })

  test('fails the check when it is other than asserted, once no more could come in time', async () => {
    const { verdict, outcome } = await judged(
      (socket) => socket.write('nothing of the kind'),
      { assertions: [tcpAssertion({ target: 'SSH' })] },
      { maxResponseTimeMs: 1200 },
    )
    expect(outcome.kind).toBe('observed')
    expect(verdict.reasons).toEqual(['expected RESPONSE_DATA CONTAINS SSH, was "nothing of the kind"'])
  })

  test('that never comes is a time-out, and what is expected where there is to be none', async () => {
    const limit = { maxResponseTimeMs: 1000 }
    const silent = await judged(() => {}, { assertions: [tcpAssertion({ target: 'SSH' })] }, limit)
    expect(silent.outcome).toMatchObject({ kind: 'timed-out', cause: { class: 'first-byte-timeout' } })
    const empty = await judged(() => {}, { assertions: [tcpAssertion({ comparison: 'IS_EMPTY' })] }, limit)
    expect(empty.verdict).toMatchObject({ state: 'passing', overMaxResponseTime: false })
  })

  test('is read up to a megabyte', async () => {
    const { outcome } = await judged((socket) => socket.write('x'.repeat(3_000_000)), {
      assertions: [tcpAssertion({ target: 'never there' })],
    })
    expect(outcome).toMatchObject({
      kind: 'observed',
      observation: { received: { dataBytes: 1_048_576, truncated: true, ending: 'limit' } },
    })
  })
})

describe.runIf(redisIsHere)(`a real redis${skippedWithoutRedis}`, () => {
  test('answers a PING within one connection', async () => {
    await using redis = await startRedis()
    const definition = tcpDefinition(redis.port, {
      data: 'PING\r\n',
      assertions: [tcpAssertion({ comparison: 'CONTAINS', target: '+PONG' })],
    })
    const outcome = await attemptTcp(definition)
    expect(judge(definition, outcome).verdict.state).toBe('passing')
    expect(outcome).toMatchObject({ observation: { received: { data: '+PONG\r\n' } } })
  })
})
