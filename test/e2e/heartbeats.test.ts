import { afterEach, expect, test } from 'vitest'
import type { CheckStatusResource } from '../../src/contract/resources/check-status.ts'
import type { HeartbeatEvent } from '../../src/contract/resources/heartbeat-event.ts'
import { emptyDatabaseUrl } from '../support/databases.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'

const apiKey = 'pk_a-key-that-the-tests-know'
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

async function startServer(databaseUrl: string): Promise<{ server: PicketProcess; url: string }> {
  const server = startPicket(['server'], {
    PICKET_DATABASE_URL: databaseUrl,
    PICKET_PORT: '0',
    PICKET_API_KEY: apiKey,
    PICKET_SECRET_KEY: 'the key that seals secrets in tests',
  })
  undo.push(() => {
    server.signal('SIGKILL')
    return server.exit()
  })
  return { server, url: String((await server.logged('the service is ready'))['url']) }
}

async function call<T>(url: string, method = 'GET', body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  // What the service sends is what its own schemas let through.
  return (await response.json()) as T
}

interface Made {
  readonly id: string
  readonly heartbeat: { readonly pingUrl: string }
}

/** Pings from so many sides at once until the server is gone; gives how many it answered with 200. */
async function pingUntilGone(pingUrl: string, lanes: number, afterSome: () => void): Promise<number> {
  let answered = 0
  const lane = async () => {
    for (;;) {
      const response = await fetch(pingUrl).catch(() => null)
      if (!response) return
      if (response.status === 200) answered += 1
      if (answered === 500) afterSome()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return answered
}

test.each(['sqlite', 'postgres'] as const)(
  'a ping that was answered with 200 is stored, though the service is killed at once: %s',
  async (engine) => {
    const databaseUrl = await emptyDatabaseUrl(engine)
    const { server, url } = await startServer(databaseUrl)
    const { id, heartbeat } = await call<Made>(`${url}/v1/checks/heartbeat`, 'POST', {
      name: 'Backup',
      script: '',
      heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'days' },
    })
    const answered = await pingUntilGone(heartbeat.pingUrl, 16, () => server.signal('SIGKILL'))
    await server.exit()
    expect(answered).toBeGreaterThanOrEqual(500)

    const again = await startServer(databaseUrl)
    const [list] = await call<[{ events: HeartbeatEvent[] }]>(
      `${again.url}/v1/checks/heartbeats/${id}/events`,
    )
    const stored = list.events.reduce((sum, { pings }) => sum + pings, 0)
    // At most one of each side was stored and could not be answered any more.
    expect(stored).toBeGreaterThanOrEqual(answered)
    expect(stored).toBeLessThanOrEqual(answered + 16)
    const status = await call<CheckStatusResource>(`${again.url}/v1/check-statuses/${id}`)
    expect(status.hasFailures).toBe(false)
  },
)
