import { setImmediate } from 'node:timers/promises'

/** Names, units and phases are those of the blackbox exporter: dashboards and alerts made for it read them. */
const gauges = {
  probe_success: { help: '1 where the last judged result did not fail, else 0', label: null },
  probe_duration_seconds: { help: 'How long the probe took', label: null },
  probe_dns_lookup_time_seconds: { help: 'How long the lookup of the name took', label: null },
  probe_ip_protocol: { help: 'IP version that the target was probed by: 4 or 6', label: null },
  probe_http_status_code: { help: 'Status of the HTTP response; 0 without one', label: null },
  probe_http_duration_seconds: { help: 'Duration by phase, over all redirects', label: 'phase' },
  probe_http_content_length: { help: 'Content-Length of the response; -1 without one', label: null },
  probe_http_uncompressed_body_length: { help: 'Bytes of the body when it is decompressed', label: null },
  probe_http_redirects: { help: 'Redirects that were followed', label: null },
  probe_http_ssl: { help: '1 where the last response came over TLS, else 0', label: null },
  probe_http_version: { help: 'HTTP version of the response', label: null },
  probe_ssl_earliest_cert_expiry: {
    help: 'When the first certificate of the chain expires, unix seconds',
    label: null,
  },
  probe_tls_version_info: { help: 'The TLS version that was agreed on; always 1', label: 'version' },
  probe_dns_duration_seconds: { help: 'Duration of the DNS request by phase', label: 'phase' },
  probe_dns_answer_rrs: { help: 'Records in the answer section', label: null },
  probe_dns_query_succeeded: { help: '1 where the query was answered, else 0', label: null },
  probe_icmp_duration_seconds: {
    help: 'Duration by phase; rtt is the average of the replies',
    label: 'phase',
  },
  probe_icmp_reply_hop_limit: { help: 'Hop limit of the last reply (TTL of IPv4)', label: null },
} as const satisfies Record<string, { readonly help: string; readonly label: string | null }>

export interface ProbeSample {
  readonly name: keyof typeof gauges
  readonly value: number
  /** Of the gauge's own label, where it has one. */
  readonly label?: string
}

/** What the last judged result of a check at a location showed. */
export interface ProbeReading {
  readonly checkId: string
  readonly checkName: string
  readonly checkType: string
  readonly location: string
  readonly samples: readonly ProbeSample[]
  /** Without another reading it is shown for so long. */
  readonly keepMs: number
}

export interface ProbeMetricsOptions {
  readonly monotonicMs: () => number
  /** More checks than are shown have a reading: said once. */
  readonly onFull: (most: number) => void
}

interface Kept {
  /** On the monotonic clock. */
  readonly untilMs: number
  /** As they stand in the exposition format, by their gauge. */
  readonly lines: ReadonlyMap<string, string>
}

/** A check has up to twenty series. */
const mostShown = 2000

/**
 * The gauges of each check that is probed here; one that is not probed any more disappears. They are written out here,
 * each reading once when it comes: prom-client would hold up the measurements for as long as it writes all of them.
 */
export class ProbeMetrics {
  readonly #options: ProbeMetricsOptions
  /** By check and location. */
  readonly #kept = new Map<string, Kept>()
  #full = false

  constructor(options: ProbeMetricsOptions) {
    this.#options = options
  }

  take(reading: ProbeReading): void {
    const key = `${reading.checkId} ${reading.location}`
    if (!this.#kept.has(key) && !this.#hasRoom()) return
    const untilMs = this.#options.monotonicMs() + reading.keepMs
    this.#kept.set(key, { untilMs, lines: linesOf(reading) })
  }

  /** In the text format of Prometheus; empty where there is no reading. */
  async text(): Promise<string> {
    this.#forgetOld()
    let text = ''
    for (const [name, { help }] of Object.entries(gauges)) {
      let lines = ''
      for (const kept of this.#kept.values()) lines += kept.lines.get(name) ?? ''
      if (lines !== '') text += `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines}`
      await setImmediate()
    }
    return text
  }

  #hasRoom(): boolean {
    if (this.#kept.size >= mostShown) this.#forgetOld()
    if (this.#kept.size < mostShown) return true
    if (!this.#full) this.#options.onFull(mostShown)
    this.#full = true
    return false
  }

  #forgetOld(): void {
    const nowMs = this.#options.monotonicMs()
    for (const [key, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(key)
  }
}

function linesOf({ samples, ...check }: ProbeReading): ReadonlyMap<string, string> {
  const labels = [
    labelText('check_id', check.checkId),
    labelText('check_name', check.checkName),
    labelText('check_type', check.checkType),
    labelText('location', check.location),
  ].join(',')
  const lines = new Map<string, string>()
  for (const { name, value, label } of samples) {
    const own = gauges[name].label
    const all = own === null ? labels : `${labels},${labelText(own, label ?? '')}`
    lines.set(name, `${lines.get(name) ?? ''}${name}{${all}} ${value}\n`)
  }
  return lines
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

const labelText = (name: string, value: string): string =>
  `${name}="${value.replaceAll(/[\\"\n]/g, (character) => escapes[character] ?? '')}"`
