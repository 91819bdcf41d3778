import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { Phase } from '../../src/contract/timings.ts'
import type { Mark } from './marks.ts'
import { endOfRequest, type ScriptName } from './scripts.ts'

/** One attempt as the prober saw it; instants on the clock of the marks. */
export interface Seen {
  readonly startedMs: number
  /** When the promise of the attempt was settled. */
  readonly settledMs: number
  /** When the phase ended, by what is reported. */
  readonly phaseEndedMs: number
  /** Null when the attempt did not end in the way and in the phase that it was made to end in. */
  readonly phaseMs: number | null
}

type At = (mark: Mark) => number

export interface Scenario {
  readonly phase: Phase
  /** How the phase ends, for the table. */
  readonly ends: string
  /** What the target does; of a name that begins with `dns`, the name server. */
  readonly script: ScriptName | 'dns' | 'dns-nxdomain' | 'dns-silent'
  readonly fails: boolean
  /** The attempt is cut off after this long; null: it is not. */
  readonly cutMs: number | null
  /** How long the phase really took. */
  readonly trueMs: (at: At, seen: Seen) => number
  readonly request?: Partial<ApiRequest>
  /** Of so many samples, this one in how many. */
  readonly oneIn?: number
}

const cutMs = 150
/** Not Picket's: what the machine itself is off by. */
export const controlEnds = 'answered, seen by a bare socket'
/** More than the system holds of a connection for both ends. */
const largeBody = 'x'.repeat(12 * 2 ** 20) + endOfRequest

const success = { fails: false, cutMs: null } as const
const failure = { fails: true, cutMs: null } as const
const cut = { fails: true, cutMs } as const

const between = (from: Mark, to: Mark) => (at: At) => at(to) - at(from)

export const scenarios: readonly Scenario[] = [
  { phase: 'dns', ends: 'answered', script: 'dns', ...success, trueMs: between('asked', 'told') },
  { phase: 'dns', ends: 'NXDOMAIN', script: 'dns-nxdomain', ...failure, trueMs: between('asked', 'told') },
  {
    phase: 'dns',
    ends: 'cut off',
    script: 'dns-silent',
    ...cut,
    trueMs: (_at, { startedMs, settledMs }) => settledMs - startedMs,
  },
  { phase: 'tls', ends: 'handshake done', script: 'tls', ...success, trueMs: between('accepted', 'ended') },
  { phase: 'tls', ends: 'reset', script: 'tls-reset', ...failure, trueMs: between('accepted', 'ended') },
  { phase: 'tls', ends: 'cut off', script: 'tls-silent', ...cut, trueMs: between('accepted', 'ended') },
  {
    phase: 'send',
    ends: 'request taken',
    script: 'slow-reader',
    ...success,
    request: { method: 'POST', bodyType: 'RAW', body: largeBody },
    oneIn: 10,
    // The last bytes leave the prober after the target reads on and before it has all: nobody sees when exactly.
    trueMs: (at, { phaseMs, phaseEndedMs }) => {
      const possible = Math.min(Math.max(phaseEndedMs, at('resumed')), at('request'))
      return (phaseMs ?? 0) + possible - phaseEndedMs
    },
  },
  {
    phase: 'firstByte',
    ends: controlEnds,
    script: 'control',
    ...success,
    trueMs: between('request', 'answered'),
  },
  {
    phase: 'firstByte',
    ends: 'status line, head later',
    script: 'first-byte-in-two',
    ...success,
    trueMs: between('request', 'answered'),
  },
  ...(['first-byte', 'download'] as const).flatMap(inTheAnswer),
]

function inTheAnswer(name: 'first-byte' | 'download'): Scenario[] {
  const isFirst = name === 'first-byte'
  const phase = isFirst ? 'firstByte' : 'download'
  const trueMs = isFirst ? between('request', 'answered') : between('answered', 'ended')
  const goneMs = isFirst ? between('request', 'ended') : trueMs
  const broken = isFirst
    ? ({ script: 'first-byte-closed', ends: 'closed' } as const)
    : ({ script: 'download-truncated', ends: 'truncated' } as const)
  return [
    { phase, ends: isFirst ? 'answered' : 'trickled to its end', script: name, ...success, trueMs },
    { phase, ends: 'reset', script: `${name}-reset`, ...failure, trueMs },
    { phase, ...broken, ...failure, trueMs },
    { phase, ends: 'cut off', script: `${name}-silent`, ...cut, trueMs: goneMs },
  ]
}
