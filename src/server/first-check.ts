import { ApiCheck } from '../contract/checks/api/check.ts'
import { newId } from '../lib/ids.ts'
import { validator } from '../lib/validate.ts'
import { firstDueAfter, intervalMsOf, phaseMsOf } from '../rules/schedule.ts'

const readCheck = validator(ApiCheck)

/** A check that watches the service itself, so that a new user sees a result within seconds. */
export function firstCheck(url: string): ApiCheck {
  const read = readCheck({
    name: 'Picket itself',
    description: 'Made at the first start: asks the service for its runtimes. Delete it whenever you like.',
    tags: ['picket'],
    locations: ['eu-central-1'],
    frequency: 0,
    frequencyOffset: 10,
    doubleCheck: false,
    request: {
      method: 'GET',
      url: `${url}/v1/runtimes`,
      assertions: [
        { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
        { source: 'JSON_BODY', property: '$[0].name', comparison: 'NOT_EMPTY' },
      ],
    },
  })
  if (read.kind === 'invalid')
    throw new Error(`the first check is not a valid check: ${read.faults[0]?.text}`)
  return read.value
}

/** Whoever has just started it should not wait for the whole interval. */
const soonMs = 3000

/** An id for a check whose phase, which comes from the id, makes it due within seconds. */
export function idDueSoon({ frequency, frequencyOffset }: ApiCheck, now: number): string {
  const intervalMs = intervalMsOf(frequency, frequencyOffset)
  for (;;) {
    const id = newId()
    const phaseMs = phaseMsOf(id, frequency, frequencyOffset)
    if (firstDueAfter({ intervalMs, phaseMs }, now) - now <= soonMs) return id
  }
}
