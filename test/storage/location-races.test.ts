import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { Secret } from '../../src/lib/secret.ts'
import { buildApp } from '../../src/server/app.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import { WakeUp } from '../../src/server/wake-up.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { testSealer } from '../support/test-service.ts'

forEachEngine((_engine, open) => {
  test('a private location is deleted or a check comes to it, never both', async () => {
    const database = await open()
    const apiKey = 'pk_a-key-that-the-tests-know'
    const clock = systemClock
    const app = await buildApp({
      database,
      clock,
      sealer: testSealer,
      logger: createLogger({ name: 'test', level: 'ERROR', pretty: false }),
      version: '0.0.0',
      embeddedAgentKey: undefined,
      rateLimitAMinute: 100_000,
      planned: new WakeUp(),
      closing: new AbortController().signal,
    })
    await ensureFirstAccount({ database, clock, accountId: undefined, apiKey: new Secret(apiKey) })
    const headers = { authorization: `Bearer ${apiKey}` }
    const outcomes: string[] = []
    for (let n = 0; n < 20; n += 1) {
      const slugName = `place-${n}`
      const payload = { name: 'p', slugName }
      const place = await app.inject({ method: 'POST', url: '/v1/private-locations', headers, payload })
      const [deleted, created] = await Promise.all([
        app.inject({ method: 'DELETE', url: `/v1/private-locations/${place.json().id}`, headers }),
        app.inject({
          method: 'POST',
          url: '/v1/checks/api',
          headers,
          payload: apiCheckBody({ locations: [], privateLocations: [slugName] }),
        }),
      ])
      outcomes.push(`${deleted.statusCode} ${created.statusCode}`)
    }
    expect(outcomes.filter((outcome) => !['204 400', '409 201'].includes(outcome))).toEqual([])
    await app.close()
  })
})
