import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { errorHandler } from '../../src/server/http/error-handler.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { logLines } from '../support/log-lines.ts'
import { startTestService } from '../support/test-service.ts'

test('a database without room answers 503 and when to try again, and stores nothing', async () => {
  const service = await startTestService()
  await sql`pragma max_page_count = 1`.execute(service.database.kysely)
  const localSetupScript = 'x'.repeat(250_000)
  const answer = await service.api('POST', '/v1/checks/api', apiCheckBody({ localSetupScript }))
  expect(answer.json()).toMatchObject({ statusCode: 503, message: expect.stringContaining('no room') })
  expect(answer.headers['retry-after']).toBe('1')
  expect((await service.api('GET', '/v1/checks')).json()).toEqual([])
  await service.close()
})

test('a caller who hangs up in the middle of a body is no fault of the database, and no error for the log', async () => {
  const { logger, lines } = logLines()
  const app = Fastify()
  app.setErrorHandler(errorHandler(logger))
  app.post('/', () => 'never')
  const answered = new Promise<number>((resolve) => {
    app.addHook('onSend', async (_request, reply) => resolve(reply.statusCode))
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const arrived = once(app.server, 'request')
  socket.write(
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"a"',
  )
  await arrived
  socket.resetAndDestroy()
  expect(await answered).toBe(400)
  expect(lines).toEqual([])
  await app.close()
})
