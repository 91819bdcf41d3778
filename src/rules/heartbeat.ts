import type { Heartbeat, HeartbeatUnit } from '../contract/checks/heartbeat/heartbeat.ts'
import type { Fault } from '../lib/find-faults.ts'

const secondMs = 1000
const dayMs = 24 * 60 * 60 * secondMs
const unitMs: Readonly<Record<HeartbeatUnit, number>> = {
  seconds: secondMs,
  minutes: 60 * secondMs,
  hours: 60 * 60 * secondMs,
  days: dayMs,
}

/** semantics §1 */
const leastPeriodMs = 30 * secondMs
const mostMs = 365 * dayMs

export const periodMsOf = ({ period, periodUnit }: Heartbeat): number => period * unitMs[periodUnit]
export const graceMsOf = ({ grace, graceUnit }: Heartbeat): number => grace * unitMs[graceUnit]

/** What the schema alone cannot see of when pings are expected. */
export function heartbeatFaults(heartbeat: Heartbeat): Fault[] {
  const { period, periodUnit, grace, graceUnit } = heartbeat
  const faults: Fault[] = []
  if (periodMsOf(heartbeat) < leastPeriodMs || periodMsOf(heartbeat) > mostMs) {
    const text = `"heartbeat.period" must be from 30 seconds to 365 days, was ${period} ${periodUnit}`
    faults.push({ path: 'heartbeat.period', text })
  }
  if (graceMsOf(heartbeat) > mostMs) {
    const text = `"heartbeat.grace" must be from 0 to 365 days, was ${grace} ${graceUnit}`
    faults.push({ path: 'heartbeat.grace', text })
  }
  return faults
}
