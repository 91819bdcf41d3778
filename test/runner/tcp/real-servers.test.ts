import { describe, expect, onTestFinished, test } from 'vitest'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import { judge } from '../../../src/rules/judge.ts'
import { nginxIsHere, skippedWithoutNginx, startNginx } from '../../support/nginx-target.ts'
import { skippedWithoutSshd, sshdIsHere, startSshd } from '../../support/sshd-target.ts'
import { attemptTcp, tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'

async function judged(
  port: number,
  request: Partial<TcpRequest>,
  check: Parameters<typeof tcpDefinition>[2] = {},
) {
  const definition = tcpDefinition(port, request, check)
  const outcome = await attemptTcp(definition)
  return { outcome, ...judge(definition, outcome) }
}

describe.runIf(sshdIsHere)(`a real sshd${skippedWithoutSshd}`, () => {
  test('says who it is before anything is sent, and is believed by a regular expression', async () => {
    await using sshd = await startSshd()
    const { verdict, assertions, outcome } = await judged(sshd.port, {
      assertions: [
        tcpAssertion({ comparison: 'EQUALS', property: '^SSH-(\\d\\.\\d)-OpenSSH_', target: '2.0' }),
        tcpAssertion({ comparison: 'CONTAINS', property: '^SSH-2.0-(\\S+)', target: 'OpenSSH' }),
      ],
    })
    expect(verdict).toMatchObject({ state: 'passing', reasons: [] })
    expect(assertions.map(({ actual }) => actual)).toEqual(['2.0', expect.stringMatching(/^OpenSSH_\d/)])
    expect(outcome).toMatchObject({
      observation: { received: { data: expect.stringMatching(/^SSH-2.0-.*\r\n$/), ending: 'idle' } },
    })
    // It waits for our word: the second of silence that ends the reading is no part of its time.
    expect(outcome.timings.totalUs).toBeLessThan(900_000)
  })

  test('is left at once where nothing is asserted on what it says', async () => {
    await using sshd = await startSshd()
    const startedMs = performance.now()
    const { verdict, outcome } = await judged(sshd.port, {}, { maxResponseTimeMs: 5000 })
    expect(performance.now() - startedMs).toBeLessThan(900)
    expect(verdict.state).toBe('passing')
    expect(outcome).toMatchObject({ observation: { received: { data: '', ending: 'not-asked' } } })
  })

  test('ends the connection of who speaks another protocol, after what it has to say', async () => {
    await using sshd = await startSshd()
    const { verdict, outcome } = await judged(sshd.port, {
      data: 'HELLO\r\n',
      assertions: [tcpAssertion({ comparison: 'NOT_CONTAINS', target: 'HELLO' })],
    })
    expect(verdict.state).toBe('passing')
    expect(outcome).toMatchObject({
      observation: { received: { data: expect.stringMatching(/^SSH-2.0-/), ending: 'target' } },
    })
  })
})

describe.runIf(nginxIsHere)(`a real nginx${skippedWithoutNginx}`, () => {
  async function nginxPort(): Promise<number> {
    const nginx = await startNginx()
    onTestFinished(() => nginx.stop())
    return Number(new URL(nginx.http).port)
  }

  test('answers what is sent, and keeps the connection: what it said is enough', async () => {
    const { verdict, assertions, outcome } = await judged(await nginxPort(), {
      data: 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
      assertions: [
        tcpAssertion({ comparison: 'EQUALS', property: '^HTTP/1\\.1 (\\d+) ', target: '200' }),
        tcpAssertion({ comparison: 'EQUALS', property: '"items":(\\[.*?\\])', target: '[1,2,3]' }),
      ],
    })
    expect(verdict).toMatchObject({ state: 'passing', reasons: [] })
    expect(assertions[1]?.actual).toBe('[1,2,3]')
    expect(outcome).toMatchObject({ observation: { received: { ending: 'idle' } } })
    expect(outcome.timings.totalUs).toBeLessThan(900_000)
  })

  test('waits for a request for as long as it likes, and is left at once where nothing is asserted', async () => {
    const { outcome } = await judged(await nginxPort(), {})
    expect(outcome).toMatchObject({ kind: 'observed', observation: { received: { ending: 'not-asked' } } })
    expect(outcome.timings.totalUs).toBeLessThan(900_000)
  })

  test('says nothing by itself, which is a failure where a word is expected', async () => {
    const asked = { assertions: [tcpAssertion({ target: 'HTTP' })] }
    const { outcome } = await judged(await nginxPort(), asked, { maxResponseTimeMs: 1000 })
    expect(outcome).toMatchObject({ kind: 'timed-out', cause: { class: 'first-byte-timeout' } })
  })
})
