import { expect, onTestFinished, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { bareChecks } from '../support/check-bodies.ts'
import { forEachEngine } from '../support/databases.ts'
import { startTestService } from '../support/test-service.ts'

forEachEngine((_engine, open) => {
  async function start() {
    const service = await startTestService({ database: await open(), publicOrigin: 'https://picket.example' })
    onTestFinished(() => service.app.close())
    return service
  }

  test.each([-1, 0, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 1e21])(
    'a group of a check that cannot be there is named as missing: %d',
    async (groupId) => {
      const service = await start()
      const answer = await service.api('POST', '/v1/checks/api', apiCheckBody({ groupId }))
      expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, ['groupId']])
    },
  )

  test.each([45.0005, 30.00001, 30.3])(
    'a heartbeat’s period may have any fraction of seconds: %d',
    async (period) => {
      const service = await start()
      const times = { period, periodUnit: 'seconds', grace: 0.00001, graceUnit: 'seconds' }
      const answer = await service.api('POST', '/v1/checks/heartbeat', {
        ...bareChecks.HEARTBEAT,
        heartbeat: times,
      })
      expect(answer.statusCode, answer.body).toBe(201)
      expect(answer.json().heartbeat).toMatchObject(times)
      const [row] = await service.database.kysely.selectFrom('checks').select('intervalMs').execute()
      expect(row?.intervalMs).toBe(Math.round(period * 1000))
    },
  )

  test.each(['check-groups', 'snippets', 'alert-channels', 'maintenance-windows'])(
    'an id in a path is a plain whole number, or no id: /v1/%s',
    async (resource) => {
      const service = await start()
      for (const id of [Number.MAX_SAFE_INTEGER, 1])
        expect((await service.api('GET', `/v1/${resource}/${id}`)).statusCode).toBe(404)
      for (const id of [
        '1.5',
        'true',
        '0x1',
        '1e0',
        '+1',
        '%201',
        '9007199254740993',
        '9223372036854775808',
        '-1',
      ]) {
        const answer = await service.api('DELETE', `/v1/${resource}/${id}`)
        expect([id, answer.statusCode, answer.json().validation?.keys]).toEqual([id, 400, ['id']])
      }
    },
  )
})
