import { expect, test } from 'vitest'
import { readServerConfig } from '../../src/server/config.ts'

test.each([
  ['PICKET_API_KEY', 'k'.repeat(201)],
  ['PICKET_API_KEY', 'k'.repeat(19)],
  ['PICKET_EMBEDDED_AGENT_KEY', `pl_${'k'.repeat(198)}`],
])('%s is refused when no request could carry it %#', (name, value) => {
  expect(() => readServerConfig({ [name]: value })).toThrow(name)
  expect(() => readServerConfig({ [name]: value })).not.toThrow(value)
})

test('the longest keys are taken', () => {
  const config = readServerConfig({
    PICKET_API_KEY: 'k'.repeat(200),
    PICKET_EMBEDDED_AGENT_KEY: `pl_${'k'.repeat(197)}`,
  })
  expect(config.apiKey?.reveal()).toHaveLength(200)
})
