import type { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import { attemptTcp, tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

/** How an attempt ended, and the longest that it kept the event loop busy, in milliseconds. */
async function attempt(onConnection: (socket: Socket) => void, request: Partial<TcpRequest>) {
  await using target = await startTcpTarget(onConnection)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const outcome = await attemptTcp(tcpDefinition(target.port, request))
  delay.disable()
  return { outcome, busyMs: delay.max / 1e6 }
}

describe('what a check asserts', () => {
  test.each([
    '(?:(?=a)?|b?|c?|d?){14}(?=[^])',
    '(?:(?:(?:a?){1000}){1000}){100}',
    `${'(?:|^|$)'.repeat(20)}(?=[^])`,
    'a{1000}'.repeat(140),
  ])('holds up nothing when a target says nothing: %s', async (property) => {
    const assertion = tcpAssertion({ comparison: 'EQUALS', property, target: 'PONG' })
    const { outcome, busyMs } = await attempt((socket) => socket.end(), { assertions: [assertion] })
    expect(outcome).toMatchObject({ kind: 'unreachable', cause: { class: 'closed' } })
    expect(busyMs).toBeLessThan(1000)
  })

  test.each([
    ['NOT_CONTAINS', '(\\d{3}|\\w+) ready'],
    ['NOT_CONTAINS', '(?:(?=a)?|b?|c?|d?){14}(?=[^])'],
  ] as const)('may expect that nothing is said: %s of %s', async (comparison, property) => {
    const assertion = tcpAssertion({ comparison, property, target: 'x' })
    const { outcome } = await attempt((socket) => socket.end(), { assertions: [assertion] })
    expect(outcome).toMatchObject({ kind: 'observed', observation: { received: { data: '' } } })
  })

  test('a hundred times over of a megabyte that comes byte by byte is looked at only so long', async () => {
    const assertions = Array.from({ length: 100 }, (_, index) =>
      tcpAssertion({ target: `${'x'.repeat(60)}y${index}` }),
    )
    const { outcome, busyMs } = await attempt(
      (socket) => {
        const chunk = 'x'.repeat(16_384)
        const write = () => {
          for (let times = 0; times < 8 && !socket.destroyed; times += 1) socket.write(chunk)
          if (!socket.destroyed) setTimeout(write, 1)
        }
        socket.setNoDelay(true).on('error', () => {})
        write()
      },
      { assertions },
    )
    expect(outcome).toMatchObject({ kind: 'observed', observation: { received: { ending: 'limit' } } })
    expect(busyMs).toBeLessThan(1000)
  })
})
