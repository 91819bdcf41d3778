import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TriedAddress } from '../../src/contract/connection.ts'
import type { FailureClass, NetworkFailure } from '../../src/contract/failure.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import { decide, type Findings, questionsAbout } from '../../src/rules/own-fault.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'

const tried = (address: string, code: string | null = 'ENETUNREACH'): TriedAddress => ({
  address,
  fate: code === null ? 'connected' : 'failed',
  code,
  tookUs: 1,
})

/** A failure of this class and code, after these addresses were tried. */
function failed(
  failure: FailureClass,
  code: string | null = null,
  addresses: readonly TriedAddress[] = [],
): Outcome {
  const { timings, cause, evidence } = unreachable(failure)
  const { phasesUs } = timings
  const hop = {
    method: 'GET',
    url: 'http://target.test/',
    status: null,
    remoteAddress: null,
    addresses: [...addresses],
    tls: null,
    timings: { startedUs: 0, totalUs: 0, phasesUs },
  }
  return {
    type: 'API',
    kind: 'unreachable',
    timings,
    cause: { ...cause, code },
    evidence: { ...evidence, hops: [hop] },
  }
}

const nothing = { nameServers: false, unrouted: [], anyRoute: false, egress: false }
const networkOnly = { ...nothing, egress: true }
const routeToo = { ...networkOnly, anyRoute: true }
const resolverToo = { ...routeToo, nameServers: true }

describe('what is asked', () => {
  test.each<[FailureClass, string | null, object]>([
    ['refused', 'ECONNREFUSED', nothing],
    ['dns-nxdomain', 'ENOTFOUND', nothing],
    ['dns-no-address', 'ENODATA', nothing],
    ['tls-expired', 'CERT_HAS_EXPIRED', nothing],
    ['closed', 'UND_ERR_SOCKET', nothing],
    ['invalid-request', null, nothing],
    ['egress-forbidden', null, nothing],
    ['dns-timeout', 'ETIMEOUT', resolverToo],
    ['dns-timeout', null, resolverToo],
    ['dns-failed', 'ECONNREFUSED', resolverToo],
    ['dns-failed', 'EAI_AGAIN', resolverToo],
    ['dns-failed', 'EREFUSED', routeToo],
    ['dns-failed', 'EBADRESP', routeToo],
    ['dns-servfail', 'ESERVFAIL', routeToo],
    ['connect-timeout', null, networkOnly],
    ['tls-timeout', null, networkOnly],
    ['first-byte-timeout', null, networkOnly],
    ['body-timeout', null, networkOnly],
    ['reset', 'ECONNRESET', networkOnly],
    ['unreachable', 'EHOSTUNREACH', routeToo],
  ])('about %s with code %s', (failure, code, questions) => {
    expect(questionsAbout(failed(failure, code))).toEqual(questions)
  })

  test('about an answer is nothing, however bad it is', () => {
    expect(questionsAbout(observed({ status: 500 }))).toEqual(nothing)
  })

  test.each<[string, readonly TriedAddress[], readonly string[]]>([
    ['that the kernel sends nothing to', [tried('192.0.2.9')], ['192.0.2.9']],
    ['that no host answers at', [tried('2001:db8::9', 'EHOSTUNREACH')], ['2001:db8::9']],
    ['none of which works', [tried('192.0.2.8'), tried('192.0.2.9')], ['192.0.2.8', '192.0.2.9']],
    ['one of which refused', [tried('192.0.2.8', 'ECONNREFUSED'), tried('192.0.2.9')], []],
    [
      'one of which did not answer',
      [{ ...tried('192.0.2.8'), fate: 'abandoned', code: null }, tried('192.0.2.9')],
      [],
    ],
    [
      'of which one was forbidden',
      [{ ...tried('169.254.169.254'), fate: 'forbidden', code: null }, tried('192.0.2.9')],
      ['192.0.2.9'],
    ],
    ['that is loopback', [tried('127.0.0.1')], []],
    ['that is loopback of IPv6', [tried('::1')], []],
    ['that a firewall keeps', [tried('192.0.2.9', 'EACCES')], []],
  ])('about the route to an address %s', (_, addresses, unrouted) => {
    expect(questionsAbout(failed('unreachable', 'ENETUNREACH', addresses)).unrouted).toEqual(unrouted)
  })

  test.each([['127.0.0.1'], ['127.8.0.1'], ['::1'], ['::ffff:127.0.0.1']])(
    'about the network is nothing when the target is at %s',
    (address) => {
      expect(questionsAbout(failed('first-byte-timeout', null, [tried(address, null)])).egress).toBe(false)
      expect(
        questionsAbout(failed('first-byte-timeout', null, [tried('127.0.0.1'), tried('192.0.2.9')])).egress,
      ).toBe(true)
    },
  )
})

const cause = (code: string | null): NetworkFailure => ({
  class: 'dns-failed',
  code,
  message: '',
  phase: 'dns',
})
const unasked: Findings = { nameServers: null, route: null, anyRoute: null, egress: null }

describe('the decision', () => {
  test.each<[string, Partial<Findings>, string | null, ReturnType<typeof decide>]>([
    ['nothing was asked', {}, null, null],
    ['a name server lives', { nameServers: 'some' }, 'ETIMEOUT', null],
    ['no name server lives', { nameServers: 'none' }, 'ETIMEOUT', 'resolver-unreachable'],
    ['one lives beside one that refuses', { nameServers: 'some' }, 'ECONNREFUSED', null],
    ['all live that refused just before', { nameServers: 'all' }, 'ECONNREFUSED', 'resolver-unreachable'],
    ['all live that were silent just before', { nameServers: 'all' }, 'ETIMEOUT', null],
    ['there is no route', { route: 'no-route', egress: 'silent' }, null, 'no-route'],
    ['there is a route', { route: 'route', egress: 'answered' }, null, null],
    ['there is a route, and no answer', { route: 'route', egress: 'silent' }, null, 'no-egress'],
    [
      'neither canaries nor name servers answer',
      { nameServers: 'none', egress: 'silent' },
      null,
      'no-egress',
    ],
    ['only a canary answers', { nameServers: 'none', egress: 'answered' }, null, 'resolver-unreachable'],
    [
      'no name server finds the canary',
      { nameServers: 'none', egress: 'unresolved' },
      null,
      'resolver-unreachable',
    ],
    ['a canary is not found', { egress: 'unresolved' }, null, 'no-egress'],
    ['no canary exists', { egress: 'unknown' }, null, null],
    ['there is no way to the world', { anyRoute: 'no-route', nameServers: 'all' }, 'EREFUSED', 'no-route'],
    ['there is none by design', { anyRoute: 'no-route', egress: 'answered' }, 'ESERVFAIL', null],
    [
      'there is none, nor a name server',
      { anyRoute: 'no-route', nameServers: 'none' },
      null,
      'resolver-unreachable',
    ],
    ['no canary could be sent', { egress: 'no-socket' }, null, 'out-of-sockets'],
  ])('when %s', (_, findings, code, reason) => {
    expect(decide({ ...unasked, ...findings }, cause(code))).toBe(reason)
  })

  const findings = fc.record<Findings>({
    nameServers: fc.constantFrom('all', 'some', 'none', 'no-socket', null),
    route: fc.constantFrom('route', 'no-route', 'no-socket', null),
    anyRoute: fc.constantFrom('route', 'no-route', 'no-socket', null),
    egress: fc.constantFrom('answered', 'silent', 'unresolved', 'unknown', 'no-socket', null),
  })
  const dead: ReadonlySet<string | null> = new Set(['none', 'no-route', 'silent', 'unresolved', 'no-socket'])

  test('is ours exactly when a canary did not live, or a name server had refused that lives again', () => {
    fc.assert(
      fc.property(findings, fc.constantFrom('ETIMEOUT', 'ECONNREFUSED', null), (found, code) => {
        const refused = found.nameServers === 'all' && code === 'ECONNREFUSED'
        const closedByDesign = found.anyRoute === 'no-route' && found.egress === 'answered'
        const counted = closedByDesign ? { ...found, anyRoute: null } : found
        const ours = refused || Object.values(counted).some((answer) => dead.has(answer))
        expect(decide(found, cause(code)) !== null).toBe(ours)
      }),
    )
  })
})
