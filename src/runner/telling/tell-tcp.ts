import type { TcpEvidence, TcpObservation, TcpReceived } from '../../contract/checks/tcp/observation.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'
import { tellAddresses } from './tell-addresses.ts'
import type { Telling } from './tell-seen.ts'
import { tellAnswer } from './tell-text.ts'

/** What is told of a TCP connection. */
export const tellTcp: Telling<TcpObservation, TcpEvidence> = {
  observation: (observation, redact) => ({
    ...tellEvidence({ ...observation, received: null }, redact),
    received: tellReceived(observation.received, redact),
  }),
  evidence: tellEvidence,
}

function tellEvidence(evidence: TcpEvidence, redact: Redactor): TcpEvidence {
  const { hostname, remoteAddress, addresses, received } = evidence
  return {
    ...evidence,
    hostname: redact(hostname),
    remoteAddress: remoteAddress && redact(remoteAddress),
    addresses: tellAddresses(addresses, redact),
    received: received && tellReceived(received, redact),
  }
}

function tellReceived(received: TcpReceived, redact: Redactor): TcpReceived {
  const { text, truncated } = tellAnswer({ text: received.data, truncated: received.truncated }, redact)
  return { ...received, data: text, truncated }
}
