import type { DnsObservation, DnsResponse } from '../../contract/checks/dns/observation.ts'
import type { DnsRequest } from '../../contract/checks/dns/request.ts'
import { narrow, one, type Reader, type Reading, readJson } from './reading.ts'

export type DnsAssertion = Readonly<DnsRequest['assertions'][number]>

/** Reads the sources of DNS checks (semantics §1). What JSON_ANSWER reads is JSON already. */
export class DnsReader implements Reader<DnsAssertion> {
  readonly #response: DnsResponse
  readonly #responseTimeMs: number

  constructor({ response }: DnsObservation, responseTimeMs: number) {
    this.#response = response
    this.#responseTimeMs = responseTimeMs
  }

  prepare(): void {}

  read({ source, property }: DnsAssertion): Reading {
    const { json, text } = this.#response
    switch (source) {
      case 'RESPONSE_TIME':
        return one(this.#responseTimeMs)
      case 'RESPONSE_CODE':
        return one(json.Status)
      case 'TEXT_ANSWER':
        return narrow(text, property)
      case 'JSON_ANSWER':
        return readJson({ kind: 'parsed', document: json }, property.trim() || '$')
    }
  }
}

/** An answer passes on NOERROR, unless an assertion says which response code is expected (semantics §3). */
export function responseCodeFaults(
  { response }: DnsObservation,
  assertions: readonly Pick<DnsAssertion, 'source'>[],
): string[] {
  const { Status } = response.json
  if (Status === 'NOERROR' || assertions.some(({ source }) => source === 'RESPONSE_CODE')) return []
  return [`the response code ${Status} is not NOERROR`]
}
