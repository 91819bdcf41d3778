import type { DnsRequest } from '../../src/contract/checks/dns/request.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { apiDefinition } from './api-definition.ts'

/** A DNS check of one request, everything not named at its default. */
export function dnsDefinition(
  request: Partial<DnsRequest>,
  check: Partial<DefinitionOf<'DNS'>> = {},
): DefinitionOf<'DNS'> {
  return {
    ...apiDefinition('http://unused.test'),
    ...check,
    type: 'DNS',
    request: { query: 'a.test', recordType: 'A', protocol: 'UDP', assertions: [], ...request },
    settings: {},
  }
}
