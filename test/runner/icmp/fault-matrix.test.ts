import { beforeAll, describe, expect, test } from 'vitest'
import type { IcmpRequest } from '../../../src/contract/checks/icmp/request.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { icmpAbility } from '../../../src/runner/icmp/icmp-ability.ts'
import { createRunCheck, type RunnerOptions } from '../../../src/runner/run-check.ts'
import {
  asDocumented,
  causeOf,
  documentedRows,
  expectFailing,
  type FaultRow,
  type Misbehaviour,
} from '../../support/fault-rows.ts'
import { icmpDefinition } from '../../support/icmp-outcome.ts'
import { denying, named, nameRows } from '../../support/misbehaving-names.ts'
import { hasNamespaces, hasRouter, pingInNamespace } from '../../support/network-namespace.ts'
import { icmpRequest } from '../../support/ping-once.ts'

interface Probe extends Pick<IcmpRequest, 'hostname'>, Partial<Pick<IcmpRequest, 'ipFamily'>> {
  readonly options?: Partial<RunnerOptions>
}

const rows: readonly Misbehaviour<Probe>[] = [
  {
    failure: 'variable-missing',
    phase: null,
    what: 'the host name names a variable that nobody defined',
    says: 'The request names the variable HOST, which is not defined',
    start: () => ({ hostname: '{{HOST}}' }),
  },
  {
    failure: 'template-invalid',
    phase: null,
    what: 'a template of the host name cannot be read, or grows too large',
    says: '"request.hostname" is not a valid template: a block that is not closed begins in line 1',
    start: () => ({ hostname: '{{#if A}}' }),
  },
  {
    failure: 'invalid-request',
    phase: null,
    what: 'the host is neither a name nor an address',
    says: 'The request cannot be sent as it is written',
    start: () => ({ hostname: '127.0.0.1 -f' }),
  },
  ...nameRows,
  {
    failure: 'egress-forbidden',
    phase: null,
    what: 'the name is one that no check may ask for',
    says: 'The egress policy of the agent does not allow the address',
    start: () => ({ hostname: 'target.internal', options: denying('*.internal') }),
  },
  {
    failure: 'egress-forbidden',
    phase: 'firstByte',
    what: 'the address is one that no check may reach',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: () => ({ hostname: '169.254.169.254' }),
  },
  {
    failure: 'egress-forbidden',
    phase: 'firstByte',
    what: 'the name leads only to such addresses',
    says: 'The egress policy of the agent does not allow 169.254.169.254',
    start: named({ addresses: ['169.254.169.254', '169.254.0.1'], ttl: 1 }),
  },
]

interface FarRow extends FaultRow {
  readonly says: string
  readonly request: Partial<IcmpRequest>
}

/** Without any network. */
const unrouted: FarRow = {
  failure: 'unreachable',
  phase: 'firstByte',
  what: 'this machine has no way to the address',
  says: 'There is no way to the target',
  request: { hostname: '192.0.2.1' },
}

/** Hosts of tun-router.ts. */
const far: readonly FarRow[] = [
  {
    failure: 'unreachable',
    phase: 'firstByte',
    what: 'a router refuses the echo requests: the message names it',
    says: 'There is no way to the target, says 10.9.0.254',
    request: { hostname: '10.9.0.7' },
  },
  {
    failure: 'unreachable',
    phase: 'firstByte',
    what: 'the echo requests go in a circle until their time to live ends: the message names who said so',
    says: 'There is no way to the target, says fd09::fe',
    request: { hostname: 'fd09::8', ipFamily: 'IPv6' },
  },
  {
    failure: 'first-byte-timeout',
    phase: 'firstByte',
    what: 'no echo request is answered within 2 s',
    says: 'The target did not begin to answer in time',
    request: { hostname: '10.9.0.4' },
  },
]

const permitted = icmpAbility().way !== 'none'

describe.skipIf(!permitted)(
  'a target of an ICMP check that misbehaves (skipped where nothing lets us ping)',
  () => {
    test.each(rows)('$what: $failure', async (row) => {
      await using opened = new AsyncDisposableStack()
      const { options, ...request } = await row.start(opened)
      const definition = icmpDefinition({ request: icmpRequest(request) })
      const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1', ...options })
      const outcome = await run(definition, new AbortController().signal)
      expectFailing(definition, outcome, row)
      expect(causeOf(outcome).message).toBe(row.says)
    })
  },
)

const asSeen = ({ failure, phase, says }: FarRow) => ({ cause: { class: failure, phase, message: says } })
const requestsOf = (farRows: readonly FarRow[]) =>
  farRows.map(({ request }) => ({ pingCount: 1, ...request }))

describe.skipIf(!hasNamespaces)('without a network (skipped where no network namespace can be made)', () => {
  test(`${unrouted.what}: ${unrouted.failure}`, async () => {
    const { told } = await pingInNamespace(requestsOf([unrouted]), {})
    expect(told).toMatchObject([asSeen(unrouted)])
  })
})

describe.skipIf(!hasRouter)('over a network (skipped where no TUN device can be made)', () => {
  let seen: Awaited<ReturnType<typeof pingInNamespace>>['told'] = []
  beforeAll(async () => {
    seen = (await pingInNamespace(requestsOf(far), { routed: true })).told
  })

  test.each(far.map((row, index) => ({ ...row, index })))('$what: $failure', ({ index, ...row }) => {
    expect(seen[index]).toMatchObject(asSeen(row))
  })
})

test('docs/failures.md has every way in which an ICMP check fails, and no other', () => {
  expect(documentedRows('ICMP checks')).toEqual([...rows, unrouted, ...far].map(asDocumented))
})
