import { expect, test } from 'vitest'
import { ServiceTrouble } from '../../src/agent/service-trouble.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { logLevel, logLines } from '../support/log-lines.ts'

const outage = new AppError('SERVICE_UNAVAILABLE', 'The service cannot be reached')
const rejected = new AppError('API_KEY_REJECTED', 'The service did not accept API_KEY')

function setUp() {
  const { logger, lines } = logLines()
  const heard = () => lines.filter(({ level }) => level >= 30).map(({ level }) => level)
  return { trouble: new ServiceTrouble(logger), heard }
}

test('an outage is said once when it begins and once when it is over, however many loops meet it', () => {
  const { trouble, heard } = setUp()
  for (const what of ['claims', 'leases', 'claims']) trouble.failed(what, outage, 100)
  expect(heard()).toEqual([logLevel.warn])
  trouble.worked('claims')
  expect(heard()).toHaveLength(1)
  trouble.worked('leases')
  trouble.worked('claims')
  expect(heard()).toEqual([logLevel.warn, 30])
})

test('a rejected key is an error, since somebody must act', () => {
  const { trouble, heard } = setUp()
  trouble.failed('claims', rejected, 100)
  trouble.failed('claims', rejected, 200)
  expect(heard()).toEqual([logLevel.error])
})
