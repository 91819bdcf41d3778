import { expect, test } from 'vitest'
import { chaosOnPostgres } from '../chaos/postgres-run.ts'

/** A short one; `npm run chaos` is the long one, of any seed. */
test('killed, stopped, cut off and slowed: every slot has one outcome, no kept result is lost, the target is never blamed', async () => {
  const said: string[] = []
  const lines = await chaosOnPostgres({ seed: 2, slots: 100, checks: 20, say: (text) => said.push(text) })
  const faults = lines.filter(([, , isFault]) => isFault)
  expect(faults, [...said, ...lines.map((line) => line.join(' '))].join('\n')).toEqual([])
}, 300_000)
