import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServiceClient } from '../../src/agent/service-client.ts'
import { serviceDispatcher } from '../../src/agent/service-dispatcher.ts'
import { newId } from '../../src/lib/ids.ts'
import { Secret } from '../../src/lib/secret.ts'
import type { FakeService, ServiceFault } from '../support/fake-service.ts'
import { agentKey, startFakeService } from '../support/test-agent.ts'

interface ClientOptions {
  readonly url?: string
  readonly proxy?: string
  readonly none?: string
}

function clientOf(server: FakeService, { url = server.url, proxy, none = '' }: ClientOptions = {}) {
  const serviceUrl = new URL(url)
  const http = proxy === undefined ? undefined : new Secret(proxy)
  const dispatcher = serviceDispatcher(serviceUrl, { http, https: undefined, none })
  onTestFinished(() => dispatcher.destroy())
  const apiKey = new Secret(agentKey)
  return createServiceClient({ serviceUrl, apiKey, dispatcher, version: '1', deadlineMs: 300 })
}

const renewal = { agentId: newId(), runIds: [] }
const { signal } = new AbortController()

describe('a call to the service', () => {
  test.each<[ServiceFault, string]>([
    [401, 'API_KEY_REJECTED'],
    [403, 'API_KEY_REJECTED'],
    [400, 'SERVICE_REFUSED'],
    [404, 'SERVICE_REFUSED'],
    [413, 'SERVICE_REFUSED'],
    [408, 'SERVICE_UNAVAILABLE'],
    [429, 'SERVICE_UNAVAILABLE'],
    [302, 'SERVICE_UNAVAILABLE'],
    [500, 'SERVICE_UNAVAILABLE'],
    ['drop', 'SERVICE_UNAVAILABLE'],
    ['silence', 'SERVICE_UNAVAILABLE'],
    ['nonsense', 'SERVICE_ANSWER_INVALID'],
  ])('that meets %s throws %s, which does not end the agent', async (fault, code) => {
    const server = await startFakeService()
    server.faults.set('leases', fault)
    const error: unknown = await clientOf(server)
      .renew(renewal, signal)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code, fatal: false })
    expect(String(error)).not.toContain(server.url)
  })

  test('throws SERVICE_UNAVAILABLE when nobody listens', async () => {
    const server = await startFakeService()
    const client = clientOf(server)
    await server.close()
    await expect(client.renew(renewal, signal)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await server.listen()
  })

  test('goes below the path of the address', async () => {
    const server = await startFakeService()
    await clientOf(server, { url: `${server.url}/picket/` }).renew(renewal, signal)
    expect(server.targets).toEqual(['/picket/agent/v1/leases'])
  })

  test('goes through the proxy', async () => {
    const server = await startFakeService()
    const client = clientOf(server, { url: 'http://service.invalid', proxy: server.url })
    await client.renew(renewal, signal)
    expect(server.targets).toEqual(['http://service.invalid/agent/v1/leases'])
  })

  test('goes past the proxy to hosts of NO_PROXY', async () => {
    const server = await startFakeService()
    const options = { url: 'http://service.invalid', proxy: server.url, none: 'service.invalid' }
    await expect(clientOf(server, options).renew(renewal, signal)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
    expect(server.targets).toEqual([])
  })

  test('never sends loopback to a proxy', async () => {
    const server = await startFakeService()
    const proxy = createServer((_, response) => response.writeHead(502).end())
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const address = proxy.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await clientOf(server, { proxy: `http://127.0.0.1:${port}` }).renew(renewal, signal)
    expect(server.targets).toEqual(['/agent/v1/leases'])
  })
})
