import { expect, test } from 'vitest'
import { missingCapability } from '../../src/rules/missing-capability.ts'

const able = (checkTypes: readonly string[], runtimes: readonly string[] = []) => ({ checkTypes, runtimes })

test.each([
  ['where there is no agent', [], 'ICMP', null, null],
  ['where one can run it', [able(['API']), able(['API', 'ICMP'])], 'ICMP', null, null],
  ['where one has its runtime', [able(['API']), able(['API'], ['2026.04'])], 'API', '2026.04', null],
  ['where none knows its type', [able(['API']), able(['TCP'])], 'ICMP', null, 'can run ICMP checks'],
  [
    'where its type and its runtime are not with one agent',
    [able(['API'], ['2025.04']), able(['TCP'], ['2026.04'])],
    'API',
    '2026.04',
    'that runs API checks has the runtime 2026.04',
  ],
] as const)('%s', (_where, agents, checkType, runtime, expected) => {
  expect(missingCapability(agents, { checkType, runtime })).toBe(expected)
})
