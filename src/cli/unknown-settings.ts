import { agentSettings } from '../agent/config.ts'
import type { Logger } from '../lib/logger.ts'
import { serverSettings } from '../server/config.ts'
import { nearestKey } from './nearest-key.ts'

type Env = Readonly<Record<string, string | undefined>>

const known = [...new Set([...Object.keys(serverSettings), ...Object.keys(agentSettings)])]

/** What begins like this is meant for us. */
const ours = /^(PICKET|EGRESS|AGENT_HEALTH|AGENT_PING|AGENT_PROBE)_/

/** What Kubernetes sets in pods beside a Service that is called picket or picket-… */
const ofKubernetes = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)(_|$)/
const addressOfKubernetes = /^(tcp|udp):\/\//

/** Names of the environment that look like settings and are none, each with the setting that was meant, if one is like it. */
function unknownSettings(env: Env): { readonly setting: string; readonly meant: string | null }[] {
  return Object.entries(env)
    .filter(([name, value]) => ours.test(name) && !known.includes(name) && value !== '')
    .filter(([name, value]) => !ofKubernetes.test(name) && !addressOfKubernetes.test(value ?? ''))
    .map(([setting]) => ({ setting, meant: nearestKey(setting, known) }))
}

/**
 * A misspelled setting would leave its preset in force without a word. It ends nothing: the name may be another program's.
 * A child of `picket up` says nothing: that has said it.
 */
export function tellUnknownSettings(env: Env, logger: Logger): void {
  if (process.connected) return
  for (const { setting, meant } of unknownSettings(env)) {
    const hint = meant === null ? '' : `: did you mean ${meant}?`
    logger.warn({ setting }, `no setting has this name, and it changes nothing${hint}`)
  }
}
