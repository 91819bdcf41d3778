import type { AssertionResult } from '../contract/assertion.ts'
import type { ApiEvidence, Hop, ReceivedResponse, SentRequest } from '../contract/checks/api/observation.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Judgement } from '../rules/judge.ts'
import { attemptSecrets } from '../rules/redaction/attempt-secrets.ts'
import { createRedactor, type Redactor } from '../rules/redaction/create-redactor.ts'
import { scrubUrl } from '../rules/redaction/scrub-url.ts'
import { isSensitiveHeader, redacted } from '../rules/sensitive-headers.ts'

/** An attempt as it may leave the agent. */
export interface Report {
  readonly outcome: Outcome
  readonly assertions: AssertionResult[]
  readonly verdict: Verdict
}

/** Of a body, in bytes of UTF-8 (semantics §3). */
const maxStoredBytes = 1024 * 1024
/** Characters that are looked at beyond it: most secrets that the cap goes through are found as a whole. */
const marginCharacters = 65_536

/** What is told of an attempt: bodies up to the stored cap, and no secret anywhere (design promise 8). */
export function toReport(definition: CheckDefinition, outcome: Outcome, judgement: Judgement): Report {
  const evidence = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
  const redact = createRedactor(attemptSecrets(definition, evidence))
  const { assertions, verdict } = judgement
  return {
    outcome: tellOutcome(outcome, redact),
    assertions: assertions.map((assertion) => tellAssertion(assertion, redact)),
    verdict: { ...verdict, reasons: verdict.reasons.map((reason) => tellShortened(reason, redact)) },
  }
}

function tellOutcome(outcome: Outcome, redact: Redactor): Outcome {
  if (outcome.kind === 'observed') {
    const { observation } = outcome
    const response = tellResponse(observation.response, redact)
    return {
      ...outcome,
      observation: { ...tellEvidence({ ...observation, response: null }, redact), response },
    }
  }
  const cause = { ...outcome.cause, message: redact(outcome.cause.message) }
  return { ...outcome, cause, evidence: tellEvidence(outcome.evidence, redact) }
}

function tellEvidence({ request, response, hops, tls }: ApiEvidence, redact: Redactor): ApiEvidence {
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
    body: tellBody({ body, truncated: false }, redact).body,
  }
}

function tellResponse(response: ReceivedResponse, redact: Redactor): ReceivedResponse {
  const { body, truncated } = response
  const tell = (text: string) => scrubUrl(redact(text))
  return {
    ...response,
    ...(body !== null && tellBody({ body, truncated }, redact)),
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
    addresses: hop.addresses.map((tried) => ({ ...tried, address: redact(tried.address) })),
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

interface CutBody {
  readonly body: string
  readonly truncated: boolean
}

/** Secrets are taken out before the body is cut: one that the cap goes through leaves nothing of itself. */
function tellBody({ body, truncated }: CutBody, redact: Redactor): CutBody {
  const head = body.slice(0, maxStoredBytes + marginCharacters)
  const isCut = truncated || head.length < body.length
  const told = redact(head, isCut ? 'cut' : 'whole')
  const stored = cut(told)
  return { body: stored, truncated: isCut || stored.length < told.length }
}

function cut(text: string): string {
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= maxStoredBytes || Buffer.byteLength(text) <= maxStoredBytes) return text
  const bytes = Buffer.from(text).subarray(0, maxStoredBytes)
  // A decoder that waits for more leaves a character cut in half away.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}

function tellAssertion(assertion: AssertionResult, redact: Redactor): AssertionResult {
  const { property, target, regex, actual, message } = assertion
  return {
    ...assertion,
    property: redact(property),
    target: redact(target),
    regex: regex === null ? null : redact(regex),
    actual: actual === null ? null : tellShortened(actual, redact),
    message: message === null ? null : tellShortened(message, redact),
  }
}

/** Before each ellipsis the text may have been cut, and a secret with it. */
function tellShortened(text: string, redact: Redactor): string {
  const [last = '', ...cutParts] = redact(text).split('…').reverse()
  return [...cutParts.reverse().map((part) => redact(part, 'cut')), last].join('…')
}
