/** Percent of the packets; null is no threshold. */
export interface PacketLossThresholds {
  readonly degradedPacketLossThreshold: number | null
  readonly maxPacketLossThreshold: number | null
}

/** Why a check fails by what was lost; null where it does not. A threshold is passed by more than its value. */
export function packetLossFault(packetLoss: number, { maxPacketLossThreshold: max }: PacketLossThresholds) {
  return max !== null && packetLoss > max
    ? `${packetLoss} % of the packets were lost, over maxPacketLossThreshold ${max} %`
    : null
}

/** Why a check that does not fail is degraded by what was lost; null where it is not (semantics §3). */
export function packetLossBlemish(
  packetLoss: number,
  { degradedPacketLossThreshold: degraded }: PacketLossThresholds,
) {
  return degraded !== null && packetLoss > degraded
    ? `${packetLoss} % of the packets were lost, over degradedPacketLossThreshold ${degraded} %`
    : null
}
