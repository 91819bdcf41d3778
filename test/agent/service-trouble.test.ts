import { expect, test } from 'vitest'
import { ServiceTrouble } from '../../src/agent/service-trouble.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { logLevel, logLines } from '../support/log-lines.ts'

const outage = new AppError('SERVICE_UNAVAILABLE', 'The service cannot be reached')
const rejected = new AppError('API_KEY_REJECTED', 'The service did not accept API_KEY')

function setUp() {
  const { logger, lines } = logLines()
  const heard = () => lines.filter(({ level }) => level >= 30).map(({ level }) => level)
  const texts = () => lines.map(({ msg }) => msg)
  return { trouble: new ServiceTrouble(logger), heard, texts }
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

test.each([
  [rejected, 'API_KEY'],
  [new AppError('SERVICE_REFUSED', 'status 404'), 'API_URL'],
  [new AppError('SERVICE_ANSWER_INVALID', 'not JSON'), 'API_URL'],
  [new AppError('OUTBOX_FAILED', 'The outbox could not be read or written'), 'PICKET_DATA_DIR'],
])('%s tells the operator where to look', (error, place) => {
  const { trouble, texts } = setUp()
  trouble.failed('sending results', error, 100)
  expect(texts()).toEqual([expect.stringContaining(place)])
})

test('a fault of our own is not called a trouble with the service', () => {
  const { trouble, texts } = setUp()
  trouble.failed('claiming runs', new TypeError('x'), 100)
  expect(texts()).toEqual([expect.not.stringContaining('service')])
})
