import { expect, test } from 'vitest'
import { capabilitiesOf } from '../../src/agent/capabilities.ts'

test('an agent of the full flavour runs every type there is', () => {
  expect(capabilitiesOf('full', '1.2.3').checkTypes).toContain('API')
})

test('a flavour without any check type to run is refused, and the setting named', () => {
  expect(() => capabilitiesOf('uptime', '1.2.3')).toThrow('PICKET_FLAVOUR must be full')
})
