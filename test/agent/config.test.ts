import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { agentSettings, readAgentConfig } from '../../src/agent/config.ts'
import { SettingsError } from '../../src/lib/settings.ts'

const key = 'pl_0123456789abcdef'

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readAgentConfig(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(({ text }) => text)
  }
  return []
}

describe('the settings of the agent', () => {
  test('need no more than a key', () => {
    const config = readAgentConfig({ API_KEY: key })
    expect(config).toMatchObject({
      concurrency: 200,
      logLevel: 'INFO',
      healthPort: 8081,
      healthHost: '0.0.0.0',
      dataDir: 'data',
      reportErrors: true,
      useOsDnsResolver: false,
      drainGraceMs: 30_000,
      outboxMaxBytes: 512 * 1024 * 1024,
      outboxMaxAgeMs: 72 * 3_600_000,
      outboxKey: undefined,
      awayMaxMs: 24 * 3_600_000,
      flavour: 'full',
    })
    expect(config.serviceUrl.href).toBe('http://127.0.0.1:3000/')
    expect(config.apiKey.reveal()).toBe(key)
  })

  test('are refused together, each fault with what is allowed', () => {
    const faults = faultsOf({
      API_URL: 'ftp://service.test',
      API_KEY: 'ak_secret-of-another-kind',
      JOB_CONCURRENCY: '0',
      LOG_LEVEL: 'LOUD',
      AGENT_HEALTH_PORT: '70000',
      EXTERNAL_OBSERVABILITY: 'maybe',
      USE_OS_DNS_RESOLVER: 'yes',
      HTTPS_PROXY: 'proxy-password@proxy.test',
      PICKET_DRAIN_GRACE_SECONDS: '3601',
      PICKET_OUTBOX_MAX_MB: '-1',
      PICKET_OUTBOX_MAX_AGE_HOURS: 'x',
      PICKET_OUTBOX_KEY: 'short',
      PICKET_AWAY_MAX_HOURS: '9000',
      PICKET_FLAVOUR: 'some',
    })
    expect(faults).toEqual([
      'API_URL must be a URL that starts with http:// or https://, was "ftp://service.test"',
      'API_KEY must be a key that begins with pl_',
      'JOB_CONCURRENCY must be a whole number from 1 to 10000, was "0"',
      'LOG_LEVEL must be one of DEBUG, LOG, INFO, WARN, ERROR, was "LOUD"',
      'AGENT_HEALTH_PORT must be a whole number from 0 to 65535, was "70000"',
      'EXTERNAL_OBSERVABILITY must be one of on, off, was "maybe"',
      'USE_OS_DNS_RESOLVER must be one of true, false, was "yes"',
      'HTTPS_PROXY must be a URL that starts with http:// or https://',
      'PICKET_DRAIN_GRACE_SECONDS must be a whole number from 0 to 3600, was "3601"',
      'PICKET_OUTBOX_MAX_MB must be a whole number from 1 to 1000000, was "-1"',
      'PICKET_OUTBOX_MAX_AGE_HOURS must be a whole number from 1 to 8760, was "x"',
      'PICKET_OUTBOX_KEY must be a text of at least 32 characters',
      'PICKET_AWAY_MAX_HOURS must be a whole number from 0 to 8760, was "9000"',
      'PICKET_FLAVOUR must be one of full, uptime, was "some"',
    ])
  })

  test('do not take a key that no header can carry', () => {
    expect(faultsOf({ API_KEY: 'pl_0123…cdef' })).toEqual(['API_KEY must be a key that begins with pl_'])
  })

  test('say that the key is missing', () => {
    expect(faultsOf({})).toEqual([`API_KEY is required: ${agentSettings.API_KEY.description}`])
  })

  test.each([
    [{ https_proxy: 'http://lower.test' }, 'http://lower.test'],
    [{ HTTPS_PROXY: 'http://upper.test' }, 'http://upper.test'],
    [{ HTTPS_PROXY: 'http://upper.test', https_proxy: 'http://lower.test' }, 'http://lower.test'],
    [{ HTTPS_PROXY: 'http://upper.test', https_proxy: '' }, 'http://upper.test'],
  ])('take proxies in lower case, too: %o', (env, proxy) => {
    const config = readAgentConfig({ API_KEY: key, ...env })
    expect(config.proxies.https?.reveal()).toBe(proxy)
  })

  test('show no secret when they are printed', () => {
    const config = readAgentConfig({ API_KEY: key, HTTP_PROXY: 'http://user:hunter2@proxy.test' })
    for (const text of [inspect(config, { depth: 9 }), JSON.stringify(config)]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain('hunter2')
    }
  })
})
