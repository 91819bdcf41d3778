import { expect, test, vi } from 'vitest'
import { RouteCanary, routeTo } from '../../../src/runner/canary/route-canary.ts'

const open = () => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap').length

test('there is a route to this machine, and finding it leaves nothing open', async () => {
  const before = open()
  expect(await routeTo('127.0.0.1')).toBe('route')
  await vi.waitFor(() => expect(open()).toBe(before))
})

test('attempts are asked about one after another, each with a socket of its own', async () => {
  const canary = new RouteCanary()
  const asking = Promise.all(Array.from({ length: 50 }, () => canary.ask(['127.0.0.1'])))
  let done = false
  void asking.then(() => {
    done = true
  })
  let most = 0
  while (!done) {
    most = Math.max(most, open())
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Where one is closed, and the one after it open.
  expect(most).toBeLessThanOrEqual(2)
})
