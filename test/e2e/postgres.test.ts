import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { CheckResultResource } from '../../src/contract/resources/check-result.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { emptyDatabaseUrl } from '../support/databases.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

function stoppedAtEnd(picket: PicketProcess): PicketProcess {
  undo.push(() => {
    picket.signal('SIGTERM')
    return picket.exit()
  })
  return picket
}

async function printed(args: readonly string[], env: Record<string, string>): Promise<string> {
  const picket = startPicket(args, env)
  expect(await picket.exit(), picket.stderr()).toBe(0)
  return picket.stdout()
}

test('two servers on one PostgreSQL plan each slot once, and two agents of a location share the runs', async () => {
  const visits: number[] = []
  const target = createServer((_request, response) => {
    visits.push(Date.now())
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  undo.push(() => {
    target.closeAllConnections()
    target.close()
  })
  const { dir, remove } = await temporaryDataDir()
  undo.push(remove)

  const apiKey = 'pk_a-key-that-the-tests-know'
  const env = {
    PICKET_DATABASE_URL: await emptyDatabaseUrl('postgres'),
    PICKET_PORT: '0',
    PICKET_API_KEY: apiKey,
    PICKET_SECRET_KEY: 'the key that seals secrets in tests',
  }
  const servers = [startPicket(['server'], env), startPicket(['server'], env)].map(stoppedAtEnd)
  const urls = await Promise.all(
    servers.map(async (server) => String((await server.logged('the service is ready'))['url'])),
  )
  const [, key = ''] = /(pl_\S+)/.exec(await printed(['keys', 'create-location', 'eu-west-1'], env)) ?? []
  for (const [n, url] of urls.entries()) {
    const agent = stoppedAtEnd(
      startPicket(['agent'], {
        API_URL: url,
        API_KEY: key,
        AGENT_HEALTH_PORT: '0',
        PICKET_DATA_DIR: join(dir, `agent-${n}`),
      }),
    )
    await agent.logged('the agent is ready')
  }

  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const request = { method: 'GET', url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` }
  const ids = await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      const body = JSON.stringify(apiCheckBody({ name: `check ${n}`, request }))
      const response = await fetch(`${urls[n % 2]}/v1/checks/api`, { method: 'POST', headers, body })
      const created = (await response.json()) as { id: string }
      return created.id
    }),
  )
  await vi.waitFor(() => expect(visits.length).toBeGreaterThanOrEqual(12), { timeout: 45_000, interval: 200 })
  const results = await vi.waitFor(
    async () => {
      const lists = ids.map(async (id) => {
        const response = await fetch(`${urls[0]}/v1/check-results/${id}?limit=100`, { headers })
        return (await response.json()) as CheckResultResource[]
      })
      const all = (await Promise.all(lists)).flat()
      expect(all.length).toBeGreaterThanOrEqual(12)
      return all
    },
    { timeout: 20_000, interval: 200 },
  )
  expect(new Set(results.map(({ checkRunId }) => checkRunId)).size).toBe(results.length)
  expect(visits.length).toBeLessThanOrEqual(results.length + ids.length)
  expect(results.every(({ hasFailures, hasErrors }) => !hasFailures && !hasErrors)).toBe(true)
})
