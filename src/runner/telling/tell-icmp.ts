import type { IcmpEvidence, IcmpObservation } from '../../contract/checks/icmp/observation.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'
import { tellAddresses } from './tell-addresses.ts'
import type { Telling } from './tell-seen.ts'

/** What is told of pings. */
export const tellIcmp: Telling<IcmpObservation, IcmpEvidence> = {
  observation: (observation, redact) => ({
    ...observation,
    ...tellTexts(observation, redact),
    resolvedIp: redact(observation.resolvedIp),
  }),
  evidence: (evidence, redact) => ({
    ...evidence,
    ...tellTexts(evidence, redact),
    resolvedIp: evidence.resolvedIp && redact(evidence.resolvedIp),
  }),
}

function tellTexts({ hostname, addresses, refusals }: IcmpEvidence, redact: Redactor) {
  return {
    hostname: redact(hostname),
    addresses: tellAddresses(addresses, redact),
    refusals: refusals.map((refusal) => ({ ...refusal, from: refusal.from && redact(refusal.from) })),
  }
}
