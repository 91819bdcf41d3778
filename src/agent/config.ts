import { type LogLevel, logLevels } from '../lib/logger.ts'
import { shortestSecret } from '../lib/sealing.ts'
import { Secret } from '../lib/secret.ts'
import {
  choice,
  integer,
  port,
  readSettings,
  type Setting,
  setting,
  text,
  urlParser,
} from '../lib/settings.ts'
import type { EgressRules } from '../rules/egress/egress-rules.ts'
import type { Canary } from '../runner/canary/egress-canary.ts'
import { egressSettings } from '../runner/egress-setting.ts'
import { parseCanaries } from './self-doubt/parse-canaries.ts'

const httpUrl = urlParser(['http:', 'https:'])

/** A proxy's address may hold a password. */
const proxyUrl: Setting<Secret>['parse'] = (value) => {
  const parsed = httpUrl(value)
  return 'value' in parsed ? { value: new Secret(value) } : parsed
}

const sealingKey: Setting<Secret>['parse'] = (value) =>
  value.length >= shortestSecret
    ? { value: new Secret(value) }
    : { allowed: `a text of at least ${shortestSecret} characters` }

const apiKey: Setting<Secret> = {
  description: 'key of the location that this agent serves',
  required: true,
  secret: true,
  preset: undefined,
  presetText: null,
  parse: (value) =>
    /^pl_[\x21-\x7e]+$/.test(value)
      ? { value: new Secret(value) }
      : { allowed: 'a key that begins with pl_' },
}

/** Every environment variable of the agent: read once, shown by `picket agent --help` and in the README. */
export const agentSettings = {
  API_URL: setting<URL, URL>('address of the service', httpUrl, {
    preset: new URL('http://127.0.0.1:3000'),
    presetText: 'http://127.0.0.1:3000',
  }),
  API_KEY: apiKey,
  JOB_CONCURRENCY: integer(
    'checks that run at the same time; one that waits for a slow target is not counted',
    { min: 1, max: 10_000 },
    200,
  ),
  LOG_LEVEL: choice('how much is logged', logLevels, 'INFO'),
  AGENT_HEALTH_PORT: port('port of the health endpoints', 8081),
  AGENT_HEALTH_HOST: setting<string, string>('address that the health endpoints listen on', text, {
    preset: '0.0.0.0',
  }),
  AGENT_PING_PORT: setting<number>(
    'port for pings of jobs that cannot reach the service; none are taken unless set',
    port('', 0).parse,
  ),
  AGENT_PING_HOST: setting<string, string>('address that pings are listened for on', text, {
    preset: '0.0.0.0',
  }),
  AGENT_PROBE_METRICS: choice(
    'on for metrics of each check on /metrics, with the names of the blackbox exporter',
    ['on', 'off'],
    'off',
  ),
  PICKET_DATA_DIR: setting<string, string>('folder of the outbox; one agent each', text, { preset: 'data' }),
  EXTERNAL_OBSERVABILITY: choice("whether the agent's own errors are reported", ['on', 'off'], 'on'),
  USE_OS_DNS_RESOLVER: choice(
    "the operating system's resolver instead of our own",
    ['true', 'false'],
    'false',
  ),
  ...egressSettings,
  PICKET_CANARIES: setting<readonly Canary[], readonly Canary[]>(
    'host:port addresses that can be reached whenever the network of the location is well; the service unless set',
    parseCanaries,
    { preset: [], presetText: '' },
  ),
  HTTPS_PROXY: setting<Secret>('proxy to an https service; not for checks', proxyUrl, { secret: true }),
  HTTP_PROXY: setting<Secret>('proxy to the service; not for checks', proxyUrl, { secret: true }),
  NO_PROXY: setting<string, string>('hosts that are reached without a proxy', text, { preset: '' }),
  PICKET_BODY_MEMORY_MB: integer(
    'megabytes that the bodies of all answers may hold together while they are judged',
    { min: 32, max: 100_000 },
    256,
  ),
  PICKET_DRAIN_GRACE_SECONDS: integer(
    'seconds that running checks have to finish when the agent is told to stop',
    { min: 0, max: 3600 },
    30,
  ),
  PICKET_OUTBOX_MAX_MB: integer(
    'megabytes of unsent results that are kept, and of pings besides',
    { min: 1, max: 1_000_000 },
    512,
  ),
  PICKET_OUTBOX_MAX_AGE_HOURS: integer(
    'hours that an unsent result or ping is kept',
    { min: 1, max: 8760 },
    72,
  ),
  PICKET_OUTBOX_KEY: setting<Secret>(
    'secret that unsent results and pings are encrypted with; one is kept in outbox.key beside them unless set',
    sealingKey,
    { secret: true },
  ),
  PICKET_AWAY_MAX_HOURS: integer(
    'hours that checks go on by themselves while the service cannot be reached; 0 for not at all',
    { min: 0, max: 8760 },
    24,
  ),
  PICKET_FLAVOUR: choice(
    'full runs every check type, uptime only those without scripts or browsers',
    ['full', 'uptime'],
    'full',
  ),
}

export interface Proxies {
  readonly https: Secret | undefined
  readonly http: Secret | undefined
  /** Comma-separated. */
  readonly none: string
}

export interface AgentConfig {
  readonly serviceUrl: URL
  readonly apiKey: Secret
  readonly concurrency: number
  readonly logLevel: LogLevel
  readonly healthPort: number
  readonly healthHost: string
  /** Pings are not taken without. */
  readonly pingPort: number | undefined
  readonly pingHost: string
  readonly probeMetrics: boolean
  readonly dataDir: string
  readonly reportErrors: boolean
  readonly useOsDnsResolver: boolean
  readonly egressAllow: EgressRules
  readonly egressDeny: EgressRules
  readonly canaries: readonly Canary[]
  readonly proxies: Proxies
  readonly bodyMemoryBytes: number
  readonly drainGraceMs: number
  readonly outboxMaxBytes: number
  readonly outboxMaxAgeMs: number
  readonly outboxKey: Secret | undefined
  readonly awayMaxMs: number
  readonly flavour: 'full' | 'uptime'
}

type Env = Readonly<Record<string, string | undefined>>

/** Of a proxy variable the lower-case form wins, as in other programs. */
function withLowerCase(env: Env): Env {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
  return { ...env, ...Object.fromEntries(names.map((name) => [name, env[name.toLowerCase()] || env[name]])) }
}

export const megabyte = 1024 * 1024
const hourMs = 3_600_000

/** @throws SettingsError naming every fault */
export function readAgentConfig(env: Env): AgentConfig {
  const values = readSettings(agentSettings, withLowerCase(env))
  return {
    serviceUrl: values.API_URL,
    apiKey: values.API_KEY,
    concurrency: values.JOB_CONCURRENCY,
    logLevel: values.LOG_LEVEL,
    healthPort: values.AGENT_HEALTH_PORT,
    healthHost: values.AGENT_HEALTH_HOST,
    pingPort: values.AGENT_PING_PORT,
    pingHost: values.AGENT_PING_HOST,
    probeMetrics: values.AGENT_PROBE_METRICS === 'on',
    dataDir: values.PICKET_DATA_DIR,
    reportErrors: values.EXTERNAL_OBSERVABILITY === 'on',
    useOsDnsResolver: values.USE_OS_DNS_RESOLVER === 'true',
    egressAllow: values.EGRESS_ALLOW,
    egressDeny: values.EGRESS_DENY,
    canaries: values.PICKET_CANARIES,
    proxies: { https: values.HTTPS_PROXY, http: values.HTTP_PROXY, none: values.NO_PROXY },
    bodyMemoryBytes: values.PICKET_BODY_MEMORY_MB * megabyte,
    drainGraceMs: values.PICKET_DRAIN_GRACE_SECONDS * 1000,
    outboxMaxBytes: values.PICKET_OUTBOX_MAX_MB * megabyte,
    outboxMaxAgeMs: values.PICKET_OUTBOX_MAX_AGE_HOURS * hourMs,
    outboxKey: values.PICKET_OUTBOX_KEY,
    awayMaxMs: values.PICKET_AWAY_MAX_HOURS * hourMs,
    flavour: values.PICKET_FLAVOUR,
  }
}
