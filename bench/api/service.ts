import { once } from 'node:events'
import { ask, startChild } from '../support/child.ts'
import type { Spent } from './service-probe.ts'
import { accountId, agentKey, apiKey } from './settings.ts'

/** A process that is measured while others ask it. */
export interface Measurable {
  readonly url: string
  spent(): Promise<Spent>
  stop(): Promise<void>
}

const probe = new URL('service-probe.ts', import.meta.url).href

async function start(
  file: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measurable> {
  const options = [process.env['NODE_OPTIONS'] ?? '', `--import=${probe}`].join(' ').trim()
  const { process: child, said } = await startChild(file, { args, env: { ...env, NODE_OPTIONS: options } })
  return {
    url: said.url,
    spent: () => ask<Spent>(child, {}),
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** A real `picket server` over a database that is seeded. */
export const startService = (databaseUrl: string): Promise<Measurable> =>
  start(new URL('../../src/cli/main.ts', import.meta.url), ['server'], {
    PICKET_HOST: '127.0.0.1',
    PICKET_PORT: '0',
    PICKET_DATABASE_URL: databaseUrl,
    PICKET_SECRET_KEY: 'a key of the bench that seals nothing of worth',
    PICKET_ACCOUNT_ID: accountId,
    PICKET_API_KEY: apiKey,
    PICKET_EMBEDDED_AGENT_KEY: agentKey,
    PICKET_RATE_LIMIT: '1000000',
    // What was seeded 30 days ago is not removed while it is read.
    PICKET_RESULT_RETENTION_DAYS: '60',
    LOG_LEVEL: 'ERROR',
  })

/** What everything is compared with: the HTTP library with one route that does nothing. */
export const startEmptyRoute = (): Promise<Measurable> =>
  start(new URL('empty-route.ts', import.meta.url), [], {})
