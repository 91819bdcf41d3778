import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BodyAllowance } from '../../../src/runner/body-allowance.ts'
import { attemptOver } from '../../support/api-attempt-over.ts'
import { type Route, startHttpTarget } from '../../support/http-target.ts'
import { plainDial } from '../../support/plain-dial.ts'

const kb = 1024

/** Memory for bodies that has so much room, and keeps what was asked of it. */
function memoryOf(maxBytes: number) {
  const taken: number[] = []
  const held = () => taken.reduce((sum, bytes) => sum + bytes, 0)
  const take = (bytes: number) => {
    const fits = held() + bytes <= maxBytes
    if (fits) taken.push(bytes)
    return fits
  }
  return { memory: { take }, taken, held }
}

describe('the allowance of an attempt', () => {
  test('asks for nothing up to 64 KB, and then in steps of 64 KB or more', () => {
    const { memory, taken } = memoryOf(Number.POSITIVE_INFINITY)
    const allowance = new BodyAllowance(memory)
    expect(allowance.use(64 * kb)).toBeNull()
    expect(taken).toEqual([])
    for (const bytes of [1, 64 * kb - 1, 1, 300 * kb]) expect(allowance.use(bytes)).toBeNull()
    expect(taken).toEqual([64 * kb, 64 * kb, 236 * kb + 1])
  })

  test('uses again what the response before held', () => {
    const { memory, taken } = memoryOf(Number.POSITIVE_INFINITY)
    const allowance = new BodyAllowance(memory)
    for (const hop of [1, 2, 3]) {
      allowance.begin()
      expect(allowance.use(128 * kb), `hop ${hop}`).toBeNull()
    }
    expect(taken).toEqual([64 * kb])
  })
})

describe('when the memory for bodies is used up', () => {
  const big: Route = (response) => response.end('x'.repeat(1000 * kb))
  const zipped: Route = (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1000 * kb, 'x')))
  const routes = {
    '/big': big,
    '/zipped': zipped,
    '/small': (response) => response.end('ok'),
  } satisfies Record<string, Route>

  test.each(['/big', '/zipped'])(
    'reading %s ends as our own fault and closes the connection',
    async (path) => {
      await using target = await startHttpTarget(routes)
      const { dial, sockets } = plainDial()
      const { memory, held } = memoryOf(500 * kb)
      const { signal } = new AbortController()
      const running = attemptOver(`${target.origin}${path}`, {}, { dial, memory, signal })
      await expect(running).rejects.toMatchObject({ code: 'BODY_MEMORY_FULL' })
      expect(getEventListeners(signal, 'abort')).toEqual([])
      expect(held()).toBeLessThanOrEqual(500 * kb)
      expect(sockets.every(({ destroyed }) => destroyed)).toBe(true)
    },
  )

  test('a small body that expands to a large one is our own fault as well', async () => {
    const small: Route = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(120 * kb, 'x')))
    await using target = await startHttpTarget({ '/': small })
    const { dial } = plainDial()
    const { signal } = new AbortController()
    const running = attemptOver(target.origin, {}, { dial, signal, memory: { take: () => false } })
    await expect(running).rejects.toMatchObject({ code: 'BODY_MEMORY_FULL' })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a small body is read all the same', async () => {
    await using target = await startHttpTarget(routes)
    const { dial } = plainDial()
    const outcome = await attemptOver(`${target.origin}/small`, {}, { dial, memory: { take: () => false } })
    expect(outcome).toMatchObject({ kind: 'observed', observation: { response: { body: 'ok' } } })
  })

  test('a body on the way is let go for the one after it', async () => {
    const onward: Route = (response) =>
      response.writeHead(302, { location: '/big' }).end('x'.repeat(1000 * kb))
    await using target = await startHttpTarget({ ...routes, '/onward': onward })
    const { dial } = plainDial()
    const { memory } = memoryOf(1100 * kb)
    const outcome = await attemptOver(`${target.origin}/onward`, {}, { dial, memory })
    expect(outcome).toMatchObject({ kind: 'observed', observation: { response: { bodyBytes: 1000 * kb } } })
  })

  test('what was enough holds what was read, compressed and not', async () => {
    await using target = await startHttpTarget(routes)
    const { dial } = plainDial()
    const { memory, held } = memoryOf(Number.POSITIVE_INFINITY)
    await attemptOver(`${target.origin}/zipped`, {}, { dial, memory })
    expect(held()).toBeGreaterThanOrEqual(1000 * kb - 64 * kb)
    expect(held()).toBeLessThan(1100 * kb)
  })
})
