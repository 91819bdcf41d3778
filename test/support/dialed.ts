import type { TlsFacts, TriedAddress } from '../../src/contract/connection.ts'
import type { Phase } from '../../src/contract/timings.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createEgressPolicy } from '../../src/rules/egress/egress-policy.ts'
import { noEgressRules } from '../../src/rules/egress/egress-rules.ts'
import {
  type Connection,
  createDialer,
  type Dial,
  type DialerOptions,
  type DialTarget,
} from '../../src/runner/dial/dial.ts'
import { createResolver } from '../../src/runner/dial/resolve.ts'

/** What a dialer tells of one connection. */
export interface Dialed {
  readonly error: Error | null
  readonly connection: Connection | null
  readonly phases: readonly Phase[]
  readonly tried: readonly TriedAddress[]
  readonly tls: TlsFacts | null
  readonly proxied: boolean
}

/** As the product makes it, without a policy, a proxy or names unless told. */
export function dialer(options: Partial<DialerOptions> = {}): Dial {
  const nowhere = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
  return createDialer({
    clock: systemClock,
    resolve: createResolver({ clock: systemClock, ...nowhere }),
    egress: createEgressPolicy({ allow: noEgressRules, deny: noEgressRules }),
    proxy: () => null,
    extraCa: [],
    ...options,
  })
}

export interface Dialling {
  readonly stop: (error: Error) => void
  readonly phases: readonly Phase[]
  readonly ended: Promise<Dialed>
}

export function beginDial(dial: Dial, target: Partial<DialTarget> & { readonly port: number }): Dialling {
  const phases: Phase[] = []
  const tried: TriedAddress[] = []
  let tls: TlsFacts | null = null
  let proxied = false
  const { promise: ended, resolve } = Promise.withResolvers<Dialed>()
  const stop = dial(
    { hostname: '127.0.0.1', family: 4, tls: null, ...target },
    {
      onPhase: (phase) => phases.push(phase),
      onTried: (one) => tried.push(one),
      onTls: (facts) => {
        tls = facts
      },
      onProxied: () => {
        proxied = true
      },
    },
    (error, connection) => resolve({ error, connection, phases, tried, tls, proxied }),
  )
  return { stop, phases, ended }
}

/** Dials 127.0.0.1 over IPv4, plain, unless told. The connection is the caller's to end. */
export function dialed(dial: Dial, target: Partial<DialTarget> & { readonly port: number }): Promise<Dialed> {
  return beginDial(dial, target).ended
}
