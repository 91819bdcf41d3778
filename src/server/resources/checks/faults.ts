import type { ApiCheck } from '../../../contract/checks/api/check.ts'
import type { Fault } from '../../../lib/validate.ts'
import { requestUrlFault } from '../../../rules/request-url.ts'
import { frequencyOffsetFault } from '../../../rules/schedule.ts'
import { templateFaults } from '../../../rules/template/template-faults.ts'
import { locationsOf } from '../../stored-check.ts'

function urlFault(check: ApiCheck): Fault[] {
  const text = requestUrlFault(check.request.url)
  return text === null ? [] : [{ path: 'request.url', text }]
}

function scheduleFault(check: ApiCheck): Fault[] {
  const text = frequencyOffsetFault(check.frequency, check.frequencyOffset)
  return text === null ? [] : [{ path: 'frequencyOffset', text }]
}

function placeFault(check: ApiCheck): Fault[] {
  if (locationsOf(check).length > 0 || check.groupId !== null) return []
  return [{ path: 'locations', text: 'You have to set at least one `location` or `privateLocation`' }]
}

/** `known` are the account's private-location slugs among those the check names. */
function privateLocationFaults(check: ApiCheck, known: readonly string[]): Fault[] {
  return (check.privateLocations ?? [])
    .filter((slug) => !known.includes(slug))
    .map((slug) => ({
      path: 'privateLocations',
      text: `"privateLocations" names ${JSON.stringify(slug)}, which is the slugName of no private location of this account`,
    }))
}

function referenceFaults(check: ApiCheck): Fault[] {
  const dangling = (path: string, what: string) => ({
    path,
    text: `"${path}" names a ${what} that does not exist`,
  })
  const faults: Fault[] = []
  if (check.groupId !== null) faults.push(dangling('groupId', 'check group'))
  if (check.setupSnippetId !== null) faults.push(dangling('setupSnippetId', 'snippet'))
  if (check.tearDownSnippetId !== null) faults.push(dangling('tearDownSnippetId', 'snippet'))
  if (check.alertChannelSubscriptions.length > 0)
    faults.push(dangling('alertChannelSubscriptions', 'alert channel'))
  return faults
}

/** Each key that comes again is named once. */
function variableFaults(check: ApiCheck): Fault[] {
  const keys = (check.environmentVariables ?? []).map(({ key }) => key)
  const again = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
  return [...again].map((key) => ({
    path: `environmentVariables[${keys.lastIndexOf(key)}].key`,
    text: `"environmentVariables" has the key ${JSON.stringify(key)} twice: a key may be there once`,
  }))
}

/** What the schema alone cannot see. */
export function checkFaults(check: ApiCheck, knownSlugs: readonly string[]): Fault[] {
  return [
    ...urlFault(check),
    ...templateFaults(check.request),
    ...scheduleFault(check),
    ...placeFault(check),
    ...privateLocationFaults(check, knownSlugs),
    ...variableFaults(check),
    ...referenceFaults(check),
  ]
}
