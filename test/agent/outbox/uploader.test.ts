import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Bell } from '../../../src/agent/bell.ts'
import { openOutbox } from '../../../src/agent/outbox/outbox.ts'
import { upload } from '../../../src/agent/outbox/uploader.ts'
import { createServiceClient, type ServiceClient } from '../../../src/agent/service-client.ts'
import { serviceDispatcher } from '../../../src/agent/service-dispatcher.ts'
import { Secret } from '../../../src/lib/secret.ts'
import { sleep } from '../../../src/lib/sleep.ts'
import { makeDataDir } from '../../support/data-dir.ts'
import { finishedResult } from '../../support/finished-result.ts'
import { logLevel, logLines } from '../../support/log-lines.ts'
import { agentKey, startFakeService } from '../../support/test-agent.ts'

/** An outbox with `count` results in it, and what sends them when `start` is called. */
async function setUp(count: number, takesMs = 0) {
  const service = await startFakeService()
  const serviceUrl = new URL(service.url)
  const dispatcher = serviceDispatcher(serviceUrl, { http: undefined, https: undefined, none: '' })
  const client = createServiceClient({ serviceUrl, apiKey: new Secret(agentKey), dispatcher, version: '1' })
  const { logger, lines } = logLines()
  const stored = new Bell()
  const outbox = await openOutbox({
    dataDir: await makeDataDir(),
    content: 'results',
    agentId: '44444444-4444-4444-8444-444444444444',
    maxBytes: 1e9,
    maxAgeMs: 3_600_000,
    key: undefined,
    serviceTime: () => null,
    logger,
    onDropped: () => {},
    onStored: () => stored.ring(),
  })
  const results = Array.from({ length: count }, () => finishedResult())
  await Promise.all(results.map((result) => outbox.put(result)))
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await outbox.close()
    await dispatcher.destroy()
  })
  const onFailed = vi.fn<(error: unknown) => void>()
  const onPoison = vi.fn<(error: Error) => void>()
  const onSent = vi.fn<() => void>()
  const sends: { readonly from: number; readonly until: number }[] = []
  const send: ServiceClient['sendResults'] = async (...batch) => {
    const from = performance.now()
    if (takesMs > 0) await sleep(takesMs)
    const answer = await client.sendResults(...batch)
    sends.push({ from, until: performance.now() })
    return answer
  }
  const start = () => upload({ outbox, send, logger, stored, onPoison, onSent, onFailed }, stop.signal)
  const empty = () => vi.waitFor(() => expect(outbox.stats.depth).toBe(0), 5000)
  return { service, outbox, sends, results, lines, onFailed, onPoison, onSent, start, empty }
}

describe('an upload', () => {
  test('sends what is there, oldest first, in batches', async () => {
    const { service, results, start, empty } = await setUp(1200)
    void start()
    await empty()
    expect(service.batches.map(({ length }) => length)).toEqual([500, 500, 200])
    expect(service.results).toEqual(results)
  })

  test('that catches up leaves the service as much time as it took', async () => {
    const { sends, start, empty } = await setUp(1200, 100)
    void start()
    await empty()
    const pauses = sends.slice(1).map(({ from }, index) => from - (sends[index]?.until ?? 0))
    expect(pauses).toHaveLength(2)
    for (const pause of pauses) expect(pause).toBeGreaterThan(90)
  })

  test('sends what comes later', async () => {
    const { service, outbox, start } = await setUp(0)
    void start()
    const result = finishedResult()
    await outbox.put(result)
    await vi.waitFor(() => expect(service.results).toEqual([result]))
  })

  test('sets aside the records that the service refuses, says why, and goes on', async () => {
    const { service, results, lines, onPoison, start, empty } = await setUp(5)
    service.refuse = ({ id }) => (id === results[2]?.id ? '"runId" is strange' : null)
    void start()
    await empty()
    expect(service.results).toEqual(results.filter((_, index) => index !== 2))
    expect(lines).toMatchObject([{ level: logLevel.error, reason: '"runId" is strange' }])
    expect(onPoison).toHaveBeenCalledOnce()
  })

  test.each([400, 413])('finds the one record for which a whole batch meets %i', async (status) => {
    const { service, results, onPoison, start, empty } = await setUp(100)
    const poison = results[61]?.id
    service.refuseBatch = (batch) => (batch.some(({ id }) => id === poison) ? status : null)
    void start()
    await empty()
    expect(service.results).toEqual(results.filter(({ id }) => id !== poison))
    expect(onPoison).toHaveBeenCalledOnce()
  })

  test.each([401, 404, 503] as const)('sets nothing aside when every batch would meet %i', async (status) => {
    const { service, outbox, results, onFailed, onPoison, start, empty } = await setUp(3)
    service.faults.set('results', status)
    void start()
    await vi.waitFor(() => expect(onFailed).toHaveBeenCalledTimes(2), 3000)
    expect(outbox.stats.depth).toBe(3)
    service.faults.delete('results')
    await empty()
    expect(service.results).toEqual(results)
    expect(onPoison).not.toHaveBeenCalled()
  })

  test('that failed is over when its last record was set aside', async () => {
    const { service, onFailed, onSent, start, empty } = await setUp(1)
    service.faults.set('results', 503)
    void start()
    await vi.waitFor(() => expect(onFailed).toHaveBeenCalled(), 3000)
    service.refuseBatch = () => 400
    service.faults.delete('results')
    await empty()
    await vi.waitFor(() => expect(onSent).toHaveBeenCalled())
  })
})
