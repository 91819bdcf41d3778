import type { DnsEvidence, DnsJson, DnsObservation } from '../../contract/checks/dns/observation.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'
import { tellAddresses } from './tell-addresses.ts'
import type { Telling } from './tell-seen.ts'

/** What is told of a DNS question. Its answer is bounded by what a message can hold. */
export const tellDns: Telling<DnsObservation, DnsEvidence> = {
  observation: ({ response, ...evidence }, redact) => ({
    ...tellEvidence(evidence, redact),
    response: {
      ...response,
      server: redact(response.server),
      text: redact(response.text),
      json: tellJson(response.json, redact),
    },
  }),
  evidence: tellEvidence,
}

function tellEvidence(evidence: DnsEvidence, redact: Redactor): DnsEvidence {
  const { question, nameServer, addresses } = evidence
  return {
    ...evidence,
    question: { ...question, name: redact(question.name) },
    nameServer: nameServer && redact(nameServer),
    addresses: tellAddresses(addresses, redact),
  }
}

function tellJson(json: DnsJson, redact: Redactor): DnsJson {
  return {
    ...json,
    Answer: json.Answer.map((record) => ({
      ...record,
      name: redact(record.name),
      data: redact(record.data),
    })),
    Question: json.Question.map((question) => ({ ...question, name: redact(question.name) })),
  }
}
