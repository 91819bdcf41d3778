import type { CheckType } from '../../contract/check-types.ts'
import { dnsRules } from './dns-rules.ts'
import { httpRules } from './http-rules.ts'
import { icmpRules } from './icmp-rules.ts'
import { tcpRules } from './tcp-rules.ts'
import type { TypeRules } from './type-rules.ts'

/** The rules of each type of check. */
export const rulesOfTypes: { readonly [T in CheckType]: TypeRules<T> } = {
  API: httpRules,
  DNS: dnsRules,
  HEARTBEAT: httpRules,
  ICMP: icmpRules,
  TCP: tcpRules,
  URL: httpRules,
}
