import type { ApiObservation } from '../../contract/checks/api/observation.ts'
import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { Value } from './compare.ts'
import { firstMatch } from './first-match.ts'
import { type JsonValue, selectJson } from './json-path.ts'
import { shorten } from './shown.ts'

export type ApiAssertion = Readonly<ApiRequest['assertions'][number]>

/** What an assertion's source gives: the values that its comparison must hold for, or why there is none to compare. */
export type Reading =
  | { readonly kind: 'values'; readonly values: readonly Value[] }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Reads the sources of API checks (semantics §1). The body is parsed once, when it is first asked for. */
export function apiReader(
  observation: ApiObservation,
  responseTimeMs: number,
): (assertion: ApiAssertion) => Reading {
  const { response } = observation
  let document: ParsedBody | undefined
  return (assertion) => {
    switch (assertion.source) {
      case 'STATUS_CODE':
        return one(response.status)
      case 'RESPONSE_TIME':
        return one(responseTimeMs)
      case 'HEADERS':
        return readHeader(response, assertion)
      case 'TEXT_BODY':
        return readText(response, assertion.property)
      case 'JSON_BODY':
        document ??= parseBody(response)
        return readJson(document, assertion.property)
    }
  }
}

type Response = ApiObservation['response']

const one = (value: Value): Reading => ({ kind: 'values', values: [value] })
const unreadable = (reason: string): Reading => ({ kind: 'unreadable', reason })

function readHeader({ headers }: Response, { property, regex }: ApiAssertion): Reading {
  const name = property.trim().toLowerCase()
  if (name === '') return unreadable('no header is named in "property"')
  const lines = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value)
  return lines.length === 0 ? one(undefined) : narrow(lines.join(', '), regex ?? '')
}

function readText({ body }: Response, pattern: string): Reading {
  return body === null ? unreadable('the response body is binary') : narrow(body, pattern)
}

function narrow(text: string, pattern: string): Reading {
  if (pattern === '') return one(text)
  const match = firstMatch(pattern, text)
  return match.kind === 'searched'
    ? one(match.text ?? undefined)
    : unreadable(`its regular expression is not valid: ${shorten(match.reason)}`)
}

type ParsedBody =
  | { readonly kind: 'parsed'; readonly document: JsonValue }
  | { readonly kind: 'unreadable'; readonly reason: string }

function parseBody({ body, truncated }: Response): ParsedBody {
  if (body === null) return { kind: 'unreadable', reason: 'the response body is binary' }
  try {
    const document: JsonValue = JSON.parse(body)
    return { kind: 'parsed', document }
  } catch {
    const cut = truncated ? ', because it is cut off at the size limit' : ''
    return { kind: 'unreadable', reason: `the response body is not JSON${cut}` }
  }
}

/** Without a path it is the whole body; a path that selects nothing gives nothing to compare with. */
function readJson(body: ParsedBody, property: string): Reading {
  if (body.kind === 'unreadable') return body
  const selected = selectJson(body.document, property.trim() || '$')
  if (selected.kind === 'path-invalid') {
    return unreadable(`its JSONPath is not valid: ${shorten(selected.reason)}`)
  }
  return selected.values.length === 0 ? one(undefined) : { kind: 'values', values: selected.values }
}
