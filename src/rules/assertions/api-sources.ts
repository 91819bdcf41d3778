import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { HttpObservation } from '../../contract/checks/http-observation.ts'
import { pathOf } from './assertion.ts'
import { type JsonDocument, readJsonBody } from './json-document.ts'
import { narrow, one, type Reader, type Reading, readJson, unreadable } from './reading.ts'

export type ApiAssertion = Readonly<ApiRequest['assertions'][number]>

type Response = HttpObservation['response']

/** Reads the sources of API and URL checks (semantics §1). The body is parsed once, when it is first asked for. */
export class ApiReader implements Reader<ApiAssertion> {
  readonly #response: Response
  readonly #responseTimeMs: number
  #json: JsonDocument | undefined

  constructor({ response }: HttpObservation, responseTimeMs: number) {
    this.#response = response
    this.#responseTimeMs = responseTimeMs
  }

  prepare({ source }: ApiAssertion): void {
    if (source === 'JSON_BODY') this.#document()
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
        return readJson(this.#document(), pathOf(assertion))
    }
  }

  #document(): JsonDocument {
    this.#json ??= readJsonBody(this.#response)
    return this.#json
  }
}

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
