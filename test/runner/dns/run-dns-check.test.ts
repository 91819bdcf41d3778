import { describe, expect, test } from 'vitest'
import type { DnsRequest } from '../../../src/contract/checks/dns/request.ts'
import { askOnce, at } from '../../support/dns-attempt.ts'
import { type DnsLies, startDnsLiar } from '../../support/dns-liar.ts'
import { replyTo } from '../../support/dns-messages.ts'
import { honest } from '../../support/honest-dns.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'

const tooLong: DnsLies['udp'] = (question, reply) => reply(replyTo(question, { truncated: true }))

describe('an attempt', () => {
  test('says nothing of the target when told to stop', async () => {
    const stopping = new AbortController()
    await using liar = await startDnsLiar({ udp: () => stopping.abort(new Error('drained')) })
    await expect(askOnce(at(liar), { signal: stopping.signal })).rejects.toThrow('drained')
  })

  test('is not begun when told to stop before', async () => {
    await expect(askOnce({}, { signal: AbortSignal.abort(new Error('drained')) })).rejects.toThrow('drained')
  })

  test.each<[string, Partial<DnsRequest>, DnsLies, string]>([
    ['is silent', {}, {}, 'timed-out'],
    ['is silent over TCP', { protocol: 'TCP' }, {}, 'timed-out'],
    ['answers', {}, honest, 'observed'],
    ['answers over TCP', { protocol: 'TCP' }, honest, 'observed'],
    ['is too long for UDP', {}, { ...honest, udp: tooLong }, 'observed'],
    ['cannot be read', { protocol: 'TCP' }, { tcp: (_, socket) => socket.write('hello') }, 'timed-out'],
  ])('leaves nothing open with a name server that %s', async (_what, request, lies, kind) => {
    await using liar = await startDnsLiar(lies)
    const before = openNow()
    const asked = { ...request, ...at(liar) }
    const attemptMs = kind === 'timed-out' ? 100 : 10_000
    const outcomes = Array.from({ length: 20 }, () => askOnce(asked, { attemptMs }))
    for (const outcome of await Promise.all(outcomes)) expect(outcome.kind).toBe(kind)
    await closedAgain(before)
  })

  test.each([{}, { protocol: 'TCP' }] as const)(
    'leaves nothing open when told to stop: %j',
    async (request) => {
      const stopping = new AbortController()
      const stop = () => stopping.abort(new Error('drained'))
      await using liar = await startDnsLiar({ udp: stop, tcp: stop })
      const before = openNow()
      const asked = { ...request, ...at(liar) }
      await expect(askOnce(asked, { signal: stopping.signal })).rejects.toThrow('drained')
      await closedAgain(before)
    },
  )
})
