import { expect, test } from 'vitest'
import { Definitions } from '../../src/agent/definitions.ts'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { newId } from '../../src/lib/ids.ts'
import { apiDefinition } from '../support/api-definition.ts'

const { signal } = new AbortController()
const check = (version = 1): CheckDefinition => ({
  ...apiDefinition('http://target.test/'),
  checkId: newId(),
  version,
})

function serving(definitions: readonly CheckDefinition[], maxHeld?: number) {
  const asked: (readonly string[])[] = []
  const held = new Definitions({
    fetch: async ({ checkIds }) => {
      asked.push(checkIds)
      return { definitions: definitions.filter(({ checkId }) => checkIds.includes(checkId)) }
    },
    ...(maxHeld !== undefined && { maxHeld }),
  })
  return { held, asked }
}

test('asks for many checks at once, and for each once', async () => {
  const checks = [check(), check()]
  const ids = checks.map(({ checkId }) => checkId)
  const { held, asked } = serving(checks)
  await held.fetch([...ids, ...ids], signal)
  expect(asked).toEqual([ids])
  expect(checks.map((definition) => held.find(definition))).toEqual(checks)
})

test('serves a run with a newer version than it names, but never with an older one', async () => {
  const definition = check(2)
  const { held } = serving([definition])
  await held.fetch([definition.checkId], signal)
  expect(held.find({ checkId: definition.checkId, version: 1 })).toBe(definition)
  expect(held.find({ checkId: definition.checkId, version: 3 })).toBeNull()
})

test('forgets a check that the service does not give any more', async () => {
  const definitions = [check()]
  const [definition = check()] = definitions
  const { held } = serving(definitions)
  await held.fetch([definition.checkId], signal)
  definitions.length = 0
  await held.fetch([definition.checkId], signal)
  expect(held.find(definition)).toBeNull()
})

test('forgets those that were not used for longest when there are too many', async () => {
  const [a, b, c] = [check(), check(), check()]
  const { held } = serving([a, b, c], 2)
  await held.fetch([a.checkId, b.checkId], signal)
  held.find(a)
  await held.fetch([c.checkId], signal)
  expect([a, b, c].map((definition) => held.find(definition))).toEqual([a, null, c])
})
