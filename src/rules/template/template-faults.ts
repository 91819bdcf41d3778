import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { Fault } from '../../lib/find-faults.ts'
import { templateFault } from './fill-texts.ts'

/** The fields of a request that may have templates in them, by their paths (semantics §6). */
function templatesOf({ url, body, headers, queryParameters, basicAuth }: ApiRequest): [string, string][] {
  const values = (path: string, entries: ApiRequest['headers']) =>
    entries.map(({ value }, index): [string, string] => [`${path}[${index}].value`, value])
  return [
    ['request.url', url],
    ...values('request.headers', headers),
    ...values('request.queryParameters', queryParameters),
    ['request.basicAuth.username', basicAuth?.username ?? ''],
    ['request.basicAuth.password', basicAuth?.password ?? ''],
    ['request.body', body],
  ]
}

/** Templates that can never be filled in, whatever the variables are. */
export function templateFaults(request: ApiRequest): Fault[] {
  return templatesOf(request).flatMap(([path, text]) => {
    const reason = templateFault(text)
    return reason === null ? [] : [{ path, text: `"${path}" ${reason}` }]
  })
}
