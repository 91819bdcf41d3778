import { expect, test } from 'vitest'
import { capabilitiesOf } from '../../src/agent/capabilities.ts'
import { runnableTypes } from '../../src/contract/check-types.ts'

const able = { flavour: 'full', version: '1.2.3', canPing: true } as const

test('an agent of the full flavour runs every type that an agent can run', () => {
  expect(capabilitiesOf(able).checkTypes).toEqual(runnableTypes)
})

test('an agent of the uptime flavour runs URL, DNS, TCP, ICMP and heartbeat checks, and no others', () => {
  const { checkTypes } = capabilitiesOf({ ...able, flavour: 'uptime' })
  expect(checkTypes.toSorted()).toEqual(['DNS', 'HEARTBEAT', 'ICMP', 'TCP', 'URL'])
})

test.each(['full', 'uptime'] as const)('an agent of the %s flavour that cannot ping says so', (flavour) => {
  const { checkTypes } = capabilitiesOf({ ...able, flavour, canPing: false })
  expect(checkTypes).not.toContain('ICMP')
  expect(checkTypes).toContain('TCP')
})
