import type { IcmpObservation } from '../../contract/checks/icmp/observation.ts'
import type { IcmpRequest } from '../../contract/checks/icmp/request.ts'
import { pathOf } from './assertion.ts'
import type { JsonDocument } from './json-document.ts'
import { one, type Reader, type Reading, readJson, unreadable } from './reading.ts'

export type IcmpAssertion = Readonly<IcmpRequest['assertions'][number]>

/** By what `property` says, in small letters. */
const figures: ReadonlyMap<string, keyof IcmpObservation['latency']> = new Map([
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
  ['stddev', 'stdDev'],
])

/** Whether a LATENCY can be read by this property (semantics §1). */
export const isLatencyProperty = (property: string) => figures.has(property.trim().toLowerCase())

/** Reads the sources of ICMP checks (semantics §1): a figure of the latency in milliseconds, or the figures as JSON. */
export class IcmpReader implements Reader<IcmpAssertion> {
  readonly #observation: IcmpObservation

  constructor(observation: IcmpObservation) {
    this.#observation = observation
  }

  prepare(): void {}

  read(assertion: IcmpAssertion): Reading {
    switch (assertion.source) {
      case 'LATENCY':
        return this.#latency(assertion.property)
      case 'JSON_RESPONSE':
        return readJson(icmpJson(this.#observation), pathOf(assertion))
    }
  }

  #latency(property: string): Reading {
    const figure = figures.get(property.trim().toLowerCase())
    return figure
      ? one(this.#observation.latency[figure])
      : unreadable('its "property" is none of min, max, avg and stddev')
  }
}

/** The JSON of semantics §3. */
function icmpJson(observation: IcmpObservation): JsonDocument {
  const { refusals, addresses, ...document } = observation
  return { kind: 'parsed', document }
}
