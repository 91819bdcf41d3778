import type { IcmpObservation, Latency } from '../contract/checks/icmp/observation.ts'

/** What came of one echo request; `rttMs` is null where no reply came. */
export interface EchoFigures {
  readonly sequence: number
  readonly rttMs: number | null
  readonly ttl: number | null
}

/** The figures of semantics §3 that follow from the replies. */
export interface PingFigures
  extends Pick<IcmpObservation, 'packetsSent' | 'packetsReceived' | 'pingResults'> {
  /** Percent, to a hundredth; null where nothing was sent. */
  readonly packetLoss: number | null
  /** Null without a reply. */
  readonly latency: Latency | null
}

export function figuresOf(echoes: readonly EchoFigures[]): PingFigures {
  const times = echoes.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]))
  const lost = echoes.length - times.length
  return {
    packetsSent: echoes.length,
    packetsReceived: times.length,
    packetLoss: echoes.length === 0 ? null : Math.round((lost / echoes.length) * 10_000) / 100,
    latency: latencyOf(times),
    pingResults: echoes.map(({ sequence, rttMs: rtt, ttl }) => ({
      sequence,
      success: rtt !== null,
      rtt,
      ttl,
    })),
  }
}

function latencyOf(times: readonly number[]): Latency | null {
  if (times.length === 0) return null
  const avg = mean(times)
  const deviation = Math.sqrt(mean(times.map((time) => (time - avg) ** 2)))
  return {
    avg: toMicros(avg),
    min: Math.min(...times),
    max: Math.max(...times),
    stdDev: toMicros(deviation),
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const toMicros = (ms: number) => Math.round(ms * 1000) / 1000
