import { rm } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { CheckResultResource } from '../../src/contract/resources/check-result.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { freePort } from '../support/free-port.ts'
import { type HttpTarget, startHttpTarget } from '../support/http-target.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { startUp, temporaryDataDir } from '../support/up.ts'

const apiKey = 'pk_a-key-that-the-tests-know'
const patience = { timeout: 45_000, interval: 100 }

function ended(process: PicketProcess): PicketProcess {
  onTestFinished(async () => {
    process.signal('SIGKILL')
    await process.exit()
  })
  return process
}

type Call = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>

/** A service, and an agent at each of two private locations. */
async function startAtTwoPlaces(): Promise<Call> {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { PICKET_DATA_DIR: `${dir}/service`, PICKET_PORT: String(port), PICKET_API_KEY: apiKey }
  await ended(startPicket(['server'], env)).logged('the service is ready')
  const call: Call = async <T>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.ok, `${method} ${path}`).toBe(true)
    return (await answer.json()) as T
  }
  for (const slugName of ['office', 'depot']) {
    const { id } = await call<{ id: string }>('POST', '/v1/private-locations', { name: slugName, slugName })
    const { rawKey } = await call<{ rawKey: string }>('POST', `/v1/private-locations/${id}/keys`, {})
    const agent = startPicket(['agent'], {
      AGENT_HEALTH_PORT: '0',
      AGENT_HEALTH_HOST: '127.0.0.1',
      API_URL: url,
      API_KEY: rawKey,
      PICKET_DATA_DIR: `${dir}/${slugName}`,
    })
    await ended(agent).logged('the agent is ready')
    onTestFinished(() => rm(`${dir}/${slugName}`, { recursive: true, force: true }))
  }
  return call
}

/** Answers 500 to the first request and 200 to all others. */
const startStumblingTarget = async (): Promise<HttpTarget> => {
  let answered = 0
  const target = await startHttpTarget({
    '/': (response) => {
      answered += 1
      response.writeHead(answered === 1 ? 500 : 200).end()
    },
  })
  onTestFinished(() => target[Symbol.asyncDispose]())
  return target
}

interface Placed {
  readonly locations: readonly string[]
  readonly privateLocations: readonly string[]
}

/** One slot of the check: its first attempt fails at one place, its second passes at the other, so long after it. */
async function expectPassedElsewhere(call: Call, places: Placed, retries: object, backoffMs: number) {
  const target = await startStumblingTarget()
  const request = { method: 'GET', url: `${target.origin}/` }
  const body = apiCheckBody({ ...places, ...retries, request })
  const check = await call<{ id: string }>('POST', '/v1/checks/api', body)
  const [attempt, final] = await vi.waitFor(async () => {
    const all = await call<CheckResultResource[]>('GET', `/v1/check-results/${check.id}?resultType=ALL`)
    expect(all.length).toBeGreaterThanOrEqual(2)
    return all.toReversed()
  }, patience)
  if (!attempt || !final) throw new Error('there are two')
  expect(attempt).toMatchObject({ resultType: 'ATTEMPT', hasFailures: true })
  expect(final).toMatchObject({ resultType: 'FINAL', hasFailures: false, sequenceId: attempt.sequenceId })
  const both = new Set([...places.locations, ...places.privateLocations])
  expect(new Set([attempt.runLocation, final.runLocation])).toEqual(both)
  const status = await call('GET', `/v1/check-statuses/${check.id}`)
  expect(status).toMatchObject({ hasFailures: false, hasErrors: false })
  const waitedMs = Date.parse(String(final.startedAt)) - Date.parse(String(attempt.stoppedAt))
  expect(waitedMs).toBeGreaterThanOrEqual(backoffMs)
  expect(waitedMs).toBeLessThan(backoffMs + 5000)
}

const strategy = { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 2, sameRegion: false }
const retries: [string, object, number][] = [
  ['that is checked twice: at once', { doubleCheck: true }, 0],
  ['with a strategy for another region: after its backoff', { retryStrategy: strategy }, 1000],
]

describe.each(retries)('a failing check %s', (_how, settings, backoffMs) => {
  test('is tried again by the agent of its other location, and passes there', async () => {
    const places = { locations: [], privateLocations: ['office', 'depot'] }
    await expectPassedElsewhere(await startAtTwoPlaces(), places, settings, backoffMs)
  })
})

test('the agent of `picket up`, which is everywhere, tries again under the name of the other location', async () => {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const up = await startUp(dir)
  onTestFinished(async () => void (await up.stop()))
  const call: Call = (method, path, body) => (method === 'GET' ? up.get(path) : up.post(path, body))
  const places = { locations: ['eu-west-1', 'us-east-1'], privateLocations: [] }
  await expectPassedElsewhere(call, places, { doubleCheck: true }, 0)
})
