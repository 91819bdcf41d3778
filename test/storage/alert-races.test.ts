import { expect, onTestFinished, test } from 'vitest'
import { makeChannel } from '../support/alert-channels.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { startTestService } from '../support/test-service.ts'

const rounds = 10

forEachEngine((_engine, open) => {
  const start = async () => {
    const service = await startTestService({ database: await open() })
    onTestFinished(() => service.app.close())
    return service
  }

  test('a check goes, is changed and is subscribed at once: nothing fails and nothing dangles', async () => {
    const service = await start()
    await makeChannel(service, { autoSubscribe: true })
    for (let round = 0; round < rounds; round += 1) {
      const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
      const subscriptions = [{ checkId: id, activated: false }]
      const channel = { type: 'EMAIL', config: { address: 'a@b.com' }, subscriptions }
      const answers = await Promise.all([
        service.api('PUT', '/v1/alert-channels/1/subscriptions', subscriptions[0]),
        service.api('PUT', '/v1/alert-channels/1', channel),
        service.api('DELETE', `/v1/checks/${id}`),
        service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody()),
      ])
      for (const { statusCode, body } of answers) expect([200, 204, 400, 404], body).toContain(statusCode)
    }
    expect((await service.api('GET', '/v1/alert-channels/1')).json().subscriptions).toEqual([])
  })

  test('a channel goes or a check comes to it, never both', async () => {
    const service = await start()
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await makeChannel(service)
      const body = apiCheckBody({ alertChannelSubscriptions: [{ alertChannelId: id, activated: true }] })
      const [deleted, created] = await Promise.all([
        service.api('DELETE', `/v1/alert-channels/${id}`),
        service.api('POST', '/v1/checks/api', body),
      ])
      expect(deleted.statusCode).toBe(204)
      expect([201, 400]).toContain(created.statusCode)
    }
    expect(
      await service.database.kysely.selectFrom('alertChannelSubscriptions').selectAll().execute(),
    ).toEqual([])
  })

  test('a snippet goes or a check comes to it, never both', async () => {
    const service = await start()
    for (let round = 0; round < rounds; round += 1) {
      const { id } = (await service.api('POST', '/v1/snippets', { name: 'n', script: 's' })).json()
      const [deleted, created] = await Promise.all([
        service.api('DELETE', `/v1/snippets/${id}`),
        service.api('POST', '/v1/checks/api', apiCheckBody({ setupSnippetId: id })),
      ])
      expect([`${deleted.statusCode} ${created.statusCode}`]).toEqual(
        deleted.statusCode === 204 ? ['204 400'] : ['409 201'],
      )
    }
  })
})
