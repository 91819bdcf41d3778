import { agentSettings } from '../agent/config.ts'
import { egressSettings } from '../runner/egress-setting.ts'

/** What of the agent's settings says how checks are made, also by `picket run`. */
export const runSettings = {
  USE_OS_DNS_RESOLVER: agentSettings.USE_OS_DNS_RESOLVER,
  PICKET_BODY_MEMORY_MB: agentSettings.PICKET_BODY_MEMORY_MB,
  ...egressSettings,
}
