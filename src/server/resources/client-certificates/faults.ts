import type { ClientCertificateCreate } from '../../../contract/resources/client-certificate.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { hostFault } from './host-fault.ts'
import { readCertificates } from './pem.ts'
import { readKey } from './read-key.ts'

function pairFault({ cert, key, passphrase }: ClientCertificateCreate): Fault | null {
  const certificates = readCertificates(cert)
  if (!certificates) {
    const text =
      '"cert" must be PEM: the certificate, and those between it and its authority after it; nothing else'
    return { path: 'cert', text }
  }
  const read = readKey(key, passphrase)
  if (read.kind === 'fault') return read.fault
  if (certificates[0]?.checkPrivateKey(read.key)) return null
  return { path: 'key', text: '"key" is not the key of the first certificate in "cert"' }
}

/** What the schema alone cannot see. That a certificate has expired is no fault: its target decides. */
export function certificateFaults(certificate: ClientCertificateCreate): Fault[] {
  const { host, ca } = certificate
  const aboutHost = hostFault(host)
  const aboutPair = pairFault(certificate)
  return [
    ...(aboutHost === null ? [] : [{ path: 'host', text: aboutHost }]),
    ...(aboutPair === null ? [] : [aboutPair]),
    ...(ca && !readCertificates(ca)
      ? [{ path: 'ca', text: '"ca" must be certificates in PEM, nothing else' }]
      : []),
  ]
}
