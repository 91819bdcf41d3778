import { type Setting, setting } from '../lib/settings.ts'
import { type EgressRules, noEgressRules, parseEgressRules } from '../rules/egress/egress-rules.ts'

const parse: Setting<EgressRules>['parse'] = (text) => {
  const read = parseEgressRules(text)
  if ('rules' in read) return { value: read.rules }
  return { allowed: `a list such as 10.0.0.0/8, db.internal, *.example.com (${read.fault})` }
}

/** What checks may reach: settings of everything that runs checks. */
export const egressSettings = {
  EGRESS_ALLOW: setting<EgressRules, EgressRules>(
    'addresses, CIDR blocks and host patterns that checks may reach; nothing else then',
    parse,
    { preset: noEgressRules, presetText: '' },
  ),
  EGRESS_DENY: setting<EgressRules, EgressRules>(
    'addresses, CIDR blocks and host patterns that checks may not reach; stands over EGRESS_ALLOW',
    parse,
    { preset: noEgressRules, presetText: '' },
  ),
}
