import type { CheckType, EvidenceOf, ObservationOf } from '../contract/check-types.ts'
import type { HttpEvidence } from '../contract/checks/http-observation.ts'
import type { TcpEvidence } from '../contract/checks/tcp/observation.ts'
import type { TriedAddress } from '../contract/connection.ts'
import { evidenceOf, type OutcomeOf } from '../contract/outcome.ts'

/** What was seen, for a person: in one line, and what else there is to tell. */
interface Described {
  readonly headline: string
  readonly details: readonly string[]
}

type Describe<T extends CheckType> = (known: EvidenceOf<T> | ObservationOf<T>) => Described

const maxShown = 200

const ms = (us: number) => `${(us / 1000).toFixed(1)} ms`

const descriptions: { readonly [T in CheckType]: Describe<T> } = {
  API: describeHttp,
  DNS: (known) => {
    const { name, type } = known.question
    const answer = 'response' in known ? known.response : null
    const records = answer?.text.split('\n').filter((line) => line !== '') ?? []
    return {
      headline: `${type} ${name} → ${answer?.json.Status ?? 'no answer'}`,
      details: [...records.slice(0, 10).map(shortened), ...addressLines(known.addresses)],
    }
  },
  HEARTBEAT: describeHttp,
  ICMP: ({ hostname, resolvedIp, packetsSent, packetsReceived, packetLoss, latency, addresses }) => {
    const at = resolvedIp === null || resolvedIp === hostname ? '' : ` (${resolvedIp})`
    const lost = packetLoss === null ? '' : `, ${packetLoss} % lost`
    const figures = latency && `${latency.min} / ${latency.avg} / ${latency.max} / ${latency.stdDev} ms`
    return {
      headline: `ping ${hostname}${at} → ${packetsReceived} of ${packetsSent} replies${lost}`,
      details: [
        ...(figures === null ? [] : [`min / avg / max / stddev ${figures}`]),
        ...addressLines(addresses),
      ],
    }
  },
  TCP: describeTcp,
  URL: describeHttp,
}

export function describeOutcome<T extends CheckType>(outcome: OutcomeOf<T>): Described {
  return descriptions[outcome.type](evidenceOf(outcome))
}

function describeHttp({ request, response, hops, tls }: HttpEvidence): Described {
  const answer = response ? `${response.status} ${response.statusText}`.trim() : 'no response'
  const addresses = hops.flatMap((hop) => hop.addresses)
  return {
    headline: `${request.method} ${request.url} → ${answer}`,
    details: [...hopLines(hops), ...addressLines(addresses), ...tlsLines(tls)],
  }
}

/** The way of a redirected request, each hop with its time. */
function hopLines(hops: HttpEvidence['hops']): string[] {
  if (hops.length < 2) return []
  return hops.map(
    ({ method, url, status, timings }, index) =>
      `${index + 1}. ${method} ${url} → ${status ?? 'no response'}  ${ms(timings.totalUs)}`,
  )
}

/** Only where an address did not do what was hoped of it. */
function addressLines(tried: readonly TriedAddress[]): string[] {
  if (tried.every(({ fate }) => fate === 'connected')) return []
  const told = tried.map(({ address, fate, code, tookUs }) => `${address} ${code ?? fate} (${ms(tookUs)})`)
  return [`addresses tried: ${told.join(', ')}`]
}

function tlsLines(tls: HttpEvidence['tls']): string[] {
  if (!tls) return []
  const days = tls.daysRemaining === null ? '' : `, first certificate to expire in ${tls.daysRemaining} days`
  return [`${tls.protocol} ${tls.cipher}${days}`]
}

function describeTcp({ hostname, port, remoteAddress, received, addresses }: TcpEvidence): Described {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
  const data =
    received && received.data !== '' ? [`received ${JSON.stringify(shortened(received.data))}`] : []
  return {
    headline: `${host}:${port} → ${remoteAddress === null && !received ? 'no connection' : 'connected'}`,
    details: [...data, ...addressLines(addresses)],
  }
}

const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)
