import { expect, test } from 'vitest'
import { sleep } from '../../src/lib/sleep.ts'
import { WakeUp } from '../../src/server/wake-up.ts'

test('what is signalled between a look and the wait that follows wakes that wait', async () => {
  const wakeUp = new WakeUp()
  const news = wakeUp.next
  wakeUp.signal()
  const began = performance.now()
  await sleep(10_000, news)
  expect(performance.now() - began).toBeLessThan(5000)
  expect(wakeUp.next.aborted).toBe(false)
})
