import type { ApiObservation } from '../../contract/checks/api/observation.ts'
import type { ApiRequest } from '../../contract/checks/api/request.ts'
import { firstMatch } from './first-match.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { maxSelected, selectJson } from './json-path.ts'
import type { Value } from './json-value.ts'
import { shorten } from './shown.ts'

export type ApiAssertion = Readonly<ApiRequest['assertions'][number]>

/** What an assertion's source gives: the values that its comparison must hold for, or why there is none to compare. */
export type Reading =
  | { readonly kind: 'values'; readonly values: readonly Value[] }
  | { readonly kind: 'unreadable'; readonly reason: string }

type Response = ApiObservation['response']

/** Reads the sources of API checks (semantics §1). The body is parsed once, when it is first asked for. */
export class ApiReader {
  readonly #response: Response
  readonly #responseTimeMs: number
  #json: JsonBody | undefined

  constructor({ response }: ApiObservation, responseTimeMs: number) {
    this.#response = response
    this.#responseTimeMs = responseTimeMs
  }

  json(): JsonBody {
    this.#json ??= readJsonBody(this.#response)
    return this.#json
  }

  read(assertion: ApiAssertion): Reading {
    switch (assertion.source) {
      case 'STATUS_CODE':
        return one(this.#response.status)
      case 'RESPONSE_TIME':
        return one(this.#responseTimeMs)
      case 'HEADERS':
        return readHeader(this.#response, assertion)
      case 'TEXT_BODY':
        return readText(this.#response, assertion.property)
      case 'JSON_BODY':
        return readJson(this.json(), pathOf(assertion))
    }
  }
}

/** Without a path it is the whole body. */
export const pathOf = ({ property }: ApiAssertion) => property.trim() || '$'

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
  return match.kind === 'searched' ? one(match.text ?? undefined) : unreadable(shorten(match.reason))
}

/** A path that selects nothing gives nothing to compare with. */
function readJson(body: JsonBody, path: string): Reading {
  if (body.kind === 'unreadable') return body
  const selected = selectJson(body.document, path)
  switch (selected.kind) {
    case 'path-invalid':
      return unreadable(`its JSONPath is not valid: ${shorten(selected.reason)}`)
    case 'too-many':
      return unreadable(`its JSONPath selects more than ${maxSelected} values`)
    case 'found':
      return selected.values.length === 0 ? one(undefined) : { kind: 'values', values: selected.values }
  }
}
