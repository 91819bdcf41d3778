import { dirname, join } from 'node:path'
import { type LogLevel, logLevels } from '../lib/logger.ts'
import { shortestSecret } from '../lib/sealing.ts'
import { Secret } from '../lib/secret.ts'
import { choice, integer, port, readSettings, setting, text, urlParser } from '../lib/settings.ts'
import { longestKey } from './http/authentication.ts'
import { parseTrustedProxies } from './http/parse-trusted-proxies.ts'
import { parseStaticIps, type StaticIp } from './resources/static-ips/parse-static-ips.ts'

const longestSecretKey = 1024

const databaseUrl = (value: string) =>
  /^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(value)
    ? { value: new Secret(value) }
    : { allowed: 'sqlite:<path> or postgres://<user>:<password>@<host>:<port>/<database>' }

const apiKey = (value: string) =>
  value.length >= 20 && value.length <= longestKey && !/\s/.test(value)
    ? { value: new Secret(value) }
    : { allowed: `a key of 20 to ${longestKey} characters without white space` }

const locationKey = (value: string) =>
  /^pl_\S{20,}$/.test(value) && value.length <= longestKey
    ? { value: new Secret(value) }
    : { allowed: `pl_ and at least 20 characters without white space, ${longestKey} in all` }

const secretKey = (value: string) =>
  value.length >= shortestSecret && value.length <= longestSecretKey
    ? { value: new Secret(value) }
    : { allowed: `${shortestSecret} to ${longestSecretKey} characters; \`openssl rand -hex 32\` makes some` }

const uuid = (value: string) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? { value } : { allowed: 'a UUID' }

/** Every environment variable of the service: read once, shown by `picket server --help` and in the README. */
export const serverSettings = {
  PICKET_HOST: setting<string, string>('address to listen on', text, { preset: '127.0.0.1' }),
  PICKET_PORT: port('port to listen on', 3000),
  PICKET_DATABASE_URL: setting<Secret>('sqlite:<path> or postgres://…', databaseUrl, {
    presetText: 'sqlite:<data dir>/picket.db',
    secret: true,
  }),
  PICKET_DATA_DIR: setting<string, string>('folder of the SQLite file', text, { preset: 'data' }),
  PICKET_SECRET_KEY: setting<Secret>(
    'encrypts secrets in the database: at least 32 characters, the same at every start; required with PostgreSQL',
    secretKey,
    { presetText: 'generated in secret.key beside the SQLite file', secret: true },
  ),
  PICKET_PUBLIC_URL: setting<URL>(
    'address under which people and agents reach the service',
    urlParser(['http:', 'https:']),
    {
      presetText: 'http://<host>:<port>',
    },
  ),
  PICKET_ACCOUNT_ID: setting<string>('id of the first account', uuid, {
    presetText: 'generated at the first start',
  }),
  PICKET_API_KEY: setting<Secret>('API key of the first account', apiKey, {
    presetText: 'generated and printed once',
    secret: true,
  }),
  PICKET_EMBEDDED_AGENT_KEY: setting<Secret>(
    'key of the one agent that serves every data-center location that no other agent serves; `picket up` makes its own',
    locationKey,
    { secret: true },
  ),
  PICKET_RATE_LIMIT: integer(
    'requests a minute that one API key may make; the own limits of routes go up and down with it',
    { min: 1, max: 1_000_000 },
    600,
  ),
  PICKET_TRUST_PROXY: setting<readonly string[], readonly string[]>(
    'reverse proxies whose X-Forwarded-For is believed: addresses, CIDR blocks, loopback, linklocal, uniquelocal',
    parseTrustedProxies,
    { preset: [], presetText: 'none' },
  ),
  PICKET_BADGES: choice(
    'whether badges of checks and groups are served to whoever asks',
    ['on', 'off'],
    'on',
  ),
  PICKET_STATIC_IPS: setting<readonly StaticIp[], readonly StaticIp[]>(
    'addresses that agents send from, for `/v1/static-ips`: region=address or address, separated by commas',
    parseStaticIps,
    { preset: [], presetText: 'none' },
  ),
  PICKET_RESULT_RETENTION_DAYS: integer('days that results are kept', { min: 1, max: 3650 }, 30),
  PICKET_ROLLUP_RETENTION_DAYS: integer(
    'days that hourly and daily figures of results, and alerts, are kept',
    { min: 1, max: 3650 },
    400,
  ),
  PICKET_MISSED_SLOT_RETENTION_DAYS: integer('days that missed slots are kept', { min: 1, max: 3650 }, 90),
  LOG_LEVEL: choice('how much is logged', logLevels, 'INFO'),
}

/** Where the key of the secrets is: none where no setting gives it and the database is no file to keep it beside. */
export type SecretKeySource =
  | { readonly kind: 'given'; readonly key: Secret }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'none' }

export interface ServerConfig {
  readonly host: string
  readonly port: number
  readonly databaseUrl: Secret
  readonly secretKey: SecretKeySource
  readonly publicUrl: URL | undefined
  readonly accountId: string | undefined
  readonly apiKey: Secret | undefined
  readonly rateLimitAMinute: number
  readonly trustedProxies: readonly string[]
  readonly staticIps: readonly StaticIp[]
  readonly badges: boolean
  readonly resultRetentionDays: number
  readonly rollupRetentionDays: number
  readonly missedSlotRetentionDays: number
  readonly logLevel: LogLevel
  /** With it, a first check is made, too: there is somebody to run it. */
  readonly embeddedAgentKey: Secret | undefined
}

function secretKeySource(key: Secret | undefined, databaseUrl: Secret): SecretKeySource {
  if (key) return { kind: 'given', key }
  const [, path] = /^sqlite:(.+)$/.exec(databaseUrl.reveal()) ?? []
  if (path === undefined || path === ':memory:') return { kind: 'none' }
  return { kind: 'file', path: join(dirname(path), 'secret.key') }
}

/** @throws SettingsError naming every fault */
export function readServerConfig(env: Readonly<Record<string, string | undefined>>): ServerConfig {
  const values = readSettings(serverSettings, env)
  const databaseUrl =
    values.PICKET_DATABASE_URL ?? new Secret(`sqlite:${join(values.PICKET_DATA_DIR, 'picket.db')}`)
  return {
    host: values.PICKET_HOST,
    port: values.PICKET_PORT,
    databaseUrl,
    secretKey: secretKeySource(values.PICKET_SECRET_KEY, databaseUrl),
    publicUrl: values.PICKET_PUBLIC_URL,
    accountId: values.PICKET_ACCOUNT_ID,
    apiKey: values.PICKET_API_KEY,
    rateLimitAMinute: values.PICKET_RATE_LIMIT,
    trustedProxies: values.PICKET_TRUST_PROXY,
    staticIps: values.PICKET_STATIC_IPS,
    badges: values.PICKET_BADGES === 'on',
    resultRetentionDays: values.PICKET_RESULT_RETENTION_DAYS,
    rollupRetentionDays: values.PICKET_ROLLUP_RETENTION_DAYS,
    missedSlotRetentionDays: values.PICKET_MISSED_SLOT_RETENTION_DAYS,
    logLevel: values.LOG_LEVEL,
    embeddedAgentKey: values.PICKET_EMBEDDED_AGENT_KEY,
  }
}
