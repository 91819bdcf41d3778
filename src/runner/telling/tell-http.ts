import type {
  Hop,
  HttpEvidence,
  HttpObservation,
  ReceivedResponse,
  SentRequest,
} from '../../contract/checks/http-observation.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'
import { scrubUrl } from '../../rules/redaction/scrub-url.ts'
import { isSensitiveHeader, redacted } from '../../rules/sensitive-headers.ts'
import { tellAddresses } from './tell-addresses.ts'
import type { Telling } from './tell-seen.ts'
import { type CutText, tellAnswer } from './tell-text.ts'

/** What is told of an HTTP exchange. */
export const tellHttp: Telling<HttpObservation, HttpEvidence> = {
  observation: (observation, redact) => ({
    ...tellEvidence({ ...observation, response: null }, redact),
    response: tellResponse(observation.response, redact),
  }),
  evidence: tellEvidence,
}

function tellEvidence({ request, response, hops, tls }: HttpEvidence, redact: Redactor): HttpEvidence {
  return {
    request: tellRequest(request, redact),
    response: response && tellResponse(response, redact),
    hops: hops.map((hop) => tellHop(hop, redact)),
    tls,
  }
}

function tellRequest({ method, url, headers, body }: SentRequest, redact: Redactor): SentRequest {
  const tell = (text: string) => scrubUrl(redact(text))
  return {
    method,
    url: tell(url),
    headers: tellHeaders(headers, redact, tell),
    body: tellAnswer({ text: body, truncated: false }, redact).text,
  }
}

function tellResponse(response: ReceivedResponse, redact: Redactor): ReceivedResponse {
  const { body, truncated } = response
  const tell = (text: string) => scrubUrl(redact(text))
  return {
    ...response,
    ...(body !== null && tellBody({ text: body, truncated }, redact)),
    statusText: redact(response.statusText),
    headers: tellHeaders(response.headers, redact, (value) =>
      typeof value === 'string' ? tell(value) : value.map(tell),
    ),
  }
}

function tellHop(hop: Hop, redact: Redactor): Hop {
  return {
    ...hop,
    url: scrubUrl(redact(hop.url)),
    remoteAddress: hop.remoteAddress && redact(hop.remoteAddress),
    addresses: tellAddresses(hop.addresses, redact),
  }
}

/** To JSON readers this name is an attack: they refuse the whole text that it stands in. */
const unreadableName = '__proto__'

function tellHeaders<V extends string | string[]>(
  headers: Readonly<Record<string, V>>,
  redact: Redactor,
  tell: (value: V) => V | string,
): Record<string, V | string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== unreadableName)
      .map(([name, value]) => [redact(name), isSensitiveHeader(name) ? redacted : tell(value)]),
  )
}

function tellBody(body: CutText, redact: Redactor): Pick<ReceivedResponse, 'body' | 'truncated'> {
  const { text, truncated } = tellAnswer(body, redact)
  return { body: text, truncated }
}
