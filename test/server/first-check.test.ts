import { expect, test } from 'vitest'
import { firstDueAfter, intervalMsOf, phaseMsOf } from '../../src/rules/schedule.ts'
import { firstCheck, idDueSoon } from '../../src/server/first-check.ts'

test('the first check is due within three seconds of the first start, whenever that is', () => {
  const check = firstCheck('http://127.0.0.1:3000')
  const intervalMs = intervalMsOf(check.frequency, check.frequencyOffset)
  for (let now = 1_770_000_000_000; now < 1_770_000_020_000; now += 500) {
    const phaseMs = phaseMsOf(idDueSoon(check, now), check.frequency, check.frequencyOffset)
    expect(firstDueAfter({ intervalMs, phaseMs }, now) - now).toBeLessThanOrEqual(3000)
  }
})
