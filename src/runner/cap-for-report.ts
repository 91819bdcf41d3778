import type { ApiEvidence, ReceivedResponse, SentRequest } from '../contract/checks/api/observation.ts'
import type { Outcome } from '../contract/outcome.ts'
import { isSensitiveHeader, redacted } from '../rules/sensitive-headers.ts'

/** Of a body, in bytes of UTF-8 (semantics §3). */
export const maxStoredBytes = 1024 * 1024

/** The outcome as it may leave the agent: bodies up to the stored cap, no secret in a header or URL (semantics §10). */
export function capForReport(outcome: Outcome): Outcome {
  if (outcome.kind !== 'observed') return { ...outcome, evidence: capEvidence(outcome.evidence) }
  const { observation } = outcome
  const response = capResponse(observation.response)
  return { ...outcome, observation: { ...capEvidence({ ...observation, response: null }), response } }
}

function capEvidence(evidence: ApiEvidence): ApiEvidence {
  return {
    ...evidence,
    request: capRequest(evidence.request),
    response: evidence.response && capResponse(evidence.response),
    hops: evidence.hops.map((hop) => ({ ...hop, url: scrubUrl(hop.url) })),
  }
}

function capRequest(request: SentRequest): SentRequest {
  const headers = scrubHeaders(request.headers, scrubUrl)
  return { ...request, url: scrubUrl(request.url), headers, body: cut(request.body) }
}

function capResponse(response: ReceivedResponse): ReceivedResponse {
  const body = response.body === null ? null : cut(response.body)
  const headers = scrubHeaders(response.headers, (value) =>
    typeof value === 'string' ? scrubUrl(value) : value.map(scrubUrl),
  )
  return { ...response, headers, body, truncated: response.truncated || body !== response.body }
}

/** To JSON readers this name is an attack: they refuse the whole text that it stands in. */
const unreadableName = '__proto__'

function scrubHeaders<V extends string | string[]>(
  headers: Readonly<Record<string, V>>,
  scrub: (value: V) => V | string,
): Record<string, V | string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== unreadableName)
      .map(([name, value]) => [name, isSensitiveHeader(name) ? redacted : scrub(value)]),
  )
}

/** Every password of a URL in the text; the user name stays. */
function scrubUrl(text: string): string {
  return text.includes('@') ? text.replace(/(:\/\/[^/?#@:\s]*):[^/?#\s]*@/g, `$1:${redacted}@`) : text
}

function cut(text: string): string {
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= maxStoredBytes || Buffer.byteLength(text) <= maxStoredBytes) return text
  const bytes = Buffer.from(text).subarray(0, maxStoredBytes)
  // A decoder that waits for more leaves a character cut in half away.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}
