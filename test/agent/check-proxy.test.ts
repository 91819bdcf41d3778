import { expect, test } from 'vitest'
import { CheckProxy } from '../../src/agent/check-proxy.ts'
import { apiDefinition } from '../support/api-definition.ts'

test('checks go through the proxy that the service said last, and directly when it says none', () => {
  const proxy = new CheckProxy()
  expect(proxy.current()).toBeNull()
  proxy.use('http://user:hunter2@proxy.test:3128')
  expect(proxy.current()).toMatchObject({ hostname: 'proxy.test', port: 3128, secure: false })
  expect(JSON.stringify(proxy.current())).not.toContain('hunter2')
  for (const none of ['', null]) {
    proxy.use(none)
    expect(proxy.current()).toBeNull()
  }
})

test('what nobody is told of the proxy is among the secrets of each check', () => {
  const definition = apiDefinition('http://target.test/')
  const proxy = new CheckProxy()
  expect(proxy.guarded(definition)).toBe(definition)
  proxy.use('http://user:hunter2@proxy.test')
  const secrets = proxy.guarded(definition).variables
  expect(secrets.every(({ secret }) => secret)).toBe(true)
  expect(secrets.map(({ value }) => value)).toEqual([
    Buffer.from('user:hunter2').toString('base64'),
    'hunter2',
  ])
})

test('a proxy that cannot be read is a fault of ours: no check goes around it', () => {
  const proxy = new CheckProxy()
  proxy.use('socks5://user:hunter2@proxy.test')
  const reading = () => proxy.current()
  expect(reading).toThrow(expect.objectContaining({ code: 'PROXY_UNUSABLE' }))
  expect(reading).not.toThrow(/hunter2/)
  proxy.use('http://proxy.test')
  expect(proxy.current()).toMatchObject({ port: 80 })
})
