import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { entry } from '../../support/api-definition.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')
const sum = (phasesUs: Readonly<Record<string, number | null>>) =>
  Object.values(phasesUs).reduce<number>((total, us) => total + (us ?? 0), 0)

describe('redirects', () => {
  const to =
    (location: string, status = 302): Route =>
    (response) =>
      response.writeHead(status, { location }).end()

  test('are followed, each hop told, and their times added', async () => {
    await using target = await startHttpTarget({ '/a': to('/b'), '/b': to('/c', 307), '/c': ok })
    const { observation, timings } = await observe(`${target.origin}/a`)
    expect(observation.hops.map(({ url, status }) => [new URL(url).pathname, status])).toEqual([
      ['/a', 302],
      ['/b', 307],
      ['/c', 200],
    ])
    expect(observation.request.url).toBe(`${target.origin}/c`)
    expect(target.connections()).toBe(3)
    expect(sum(timings.phasesUs)).toBe(timings.totalUs)
  })

  test('are answers of their own when they are not to be followed', async () => {
    await using target = await startHttpTarget({ '/': to('/b') })
    const { observation } = await observe(target.origin, { followRedirects: false })
    expect(observation.response).toMatchObject({ status: 302, headers: { location: '/b' } })
  })

  test('end after ten', async () => {
    await using target = await startHttpTarget({ '/': to('/') })
    const outcome = await fail(target.origin)
    expect(outcome.cause).toMatchObject({ class: 'too-many-redirects', phase: null })
    expect(target.requests).toHaveLength(11)
    expect(outcome.evidence.hops).toHaveLength(11)
    expect(outcome.evidence.response?.status).toBe(302)
  })

  test('to an address that cannot be requested are a failure', async () => {
    await using target = await startHttpTarget({ '/': to('ftp://a.example/') })
    expect((await fail(target.origin)).cause.class).toBe('redirect-invalid')
  })

  test('give no secret to another origin', async () => {
    await using other = await startHttpTarget({ '/': ok })
    await using target = await startHttpTarget({ '/': to(other.origin) })
    await observe(target.origin, {
      headers: [entry('Cookie', 'a=1'), entry('X-Own', '1')],
      basicAuth: { username: 'ann', password: 'secret' },
    })
    expect(target.requests[0]?.headers).toMatchObject({ cookie: 'a=1', authorization: expect.any(String) })
    expect(other.requests[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(other.requests[0]?.headers).not.toHaveProperty('cookie')
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('to a target that is gone tell the way up to there', async () => {
    const gone = await startTcpTarget(() => {})
    await gone[Symbol.asyncDispose]()
    await using target = await startHttpTarget({ '/': to(gone.origin) })
    expect(await fail(target.origin)).toMatchObject({
      cause: { class: 'refused', phase: 'connect' },
      timings: { phasesUs: { download: expect.any(Number) } },
      evidence: {
        request: { url: `${gone.origin}/` },
        response: null,
        hops: [{ status: 302 }, { status: null, remoteAddress: '127.0.0.1' }],
      },
    })
  })
})
