import { expect, test } from 'vitest'
import { startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

test('keys are made, listed masked, and revoked', async () => {
  const { dir, remove } = await temporaryDataDir()
  const env = { PICKET_DATA_DIR: dir, PICKET_PORT: '0', PICKET_API_KEY: 'pk_a-key-that-the-tests-know' }
  const picket = async (...args: string[]) => {
    const command = startPicket(args, env)
    const exitCode = await command.exit()
    return { exitCode, text: command.stdout(), stderr: command.stderr() }
  }
  expect(await picket('keys', 'list')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('first start'),
  })

  const server = startPicket(['server'], env)
  const { url } = await server.logged('the service is ready')
  const made = await picket('keys', 'create', 'for CI', '--user', 'Ada')
  const [, key = ''] = /(pk_\S+)/.exec(made.text) ?? []
  const ask = () => fetch(`${url}/v1/accounts/me`, { headers: { authorization: `Bearer ${key}` } })
  expect((await ask()).status).toBe(200)
  const user = await fetch(`${url}/next/users/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(await user.json()).toMatchObject({ name: 'Ada' })

  expect((await picket('keys', 'create-location', 'eu-west-1')).text).toMatch(/pl_\S+/)
  const unknown = await picket('keys', 'create-location', 'mars-1')
  expect(unknown).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the location must be one of'),
  })

  const { text } = await picket('keys', 'list')
  expect(text).toMatch(/for CI, user Ada, last used 2/)
  expect(text).toContain('eu-west-1')
  expect(text).not.toContain(key)
  const id = /^(\S+) .*for CI/m.exec(text)?.[1] ?? ''
  expect(await picket('keys', 'revoke', id)).toMatchObject({ exitCode: 0, text: 'revoked\n' })
  expect((await ask()).status).toBe(401)
  expect(await picket('keys', 'revoke', id)).toMatchObject({ exitCode: 1 })
  expect(await picket('migrate')).toMatchObject({ exitCode: 0, text: 'the schema is up to date\n' })

  server.signal('SIGTERM')
  expect(await server.exit()).toBe(0)
  await remove()
})
