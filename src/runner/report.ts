import type { AssertionResult } from '../contract/assertion.ts'
import type { CheckType } from '../contract/check-types.ts'
import { evidenceOf, type Outcome, type OutcomeOf } from '../contract/outcome.ts'
import type { DefinitionOf } from '../contract/run.ts'
import type { Verdict } from '../contract/verdict.ts'
import type { Judgement } from '../rules/judge.ts'
import { createRedactor, type Redactor } from '../rules/redaction/create-redactor.ts'
import { rulesOfTypes } from '../rules/types/rules-of-types.ts'
import { tellDns } from './telling/tell-dns.ts'
import { tellHttp } from './telling/tell-http.ts'
import { tellIcmp } from './telling/tell-icmp.ts'
import { tellSeen } from './telling/tell-seen.ts'
import { tellTcp } from './telling/tell-tcp.ts'
import { tellShortened } from './telling/tell-text.ts'

/** An attempt as it may leave the agent. */
export interface Report {
  readonly outcome: Outcome
  readonly assertions: AssertionResult[]
  readonly verdict: Verdict
}

/** How the outcome of each type is told. */
const tellers: { readonly [T in CheckType]: (outcome: OutcomeOf<T>, redact: Redactor) => Outcome } = {
  API: (outcome, redact) => ({ type: 'API', ...tellSeen(outcome, tellHttp, redact) }),
  DNS: (outcome, redact) => ({ type: 'DNS', ...tellSeen(outcome, tellDns, redact) }),
  HEARTBEAT: (outcome, redact) => ({ type: 'HEARTBEAT', ...tellSeen(outcome, tellHttp, redact) }),
  ICMP: (outcome, redact) => ({ type: 'ICMP', ...tellSeen(outcome, tellIcmp, redact) }),
  TCP: (outcome, redact) => ({ type: 'TCP', ...tellSeen(outcome, tellTcp, redact) }),
  URL: (outcome, redact) => ({ type: 'URL', ...tellSeen(outcome, tellHttp, redact) }),
}

/** What is told of an attempt: answers up to the stored cap, and no secret anywhere (design promise 8). */
export function toReport<T extends CheckType>(
  definition: DefinitionOf<T>,
  outcome: OutcomeOf<T>,
  judgement: Judgement,
): Report {
  const secrets = rulesOfTypes[definition.type].secrets(definition, evidenceOf(outcome))
  const redact = createRedactor(secrets)
  const { assertions, verdict } = judgement
  return {
    outcome: tellers[outcome.type](outcome, redact),
    assertions: assertions.map((assertion) => tellAssertion(assertion, redact)),
    verdict: { ...verdict, reasons: verdict.reasons.map((reason) => tellShortened(reason, redact)) },
  }
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
