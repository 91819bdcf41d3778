import { isIP } from 'node:net'

const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const hostName = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`)

/** Why a certificate cannot be for this host, as a sentence; null when it can. */
export function hostFault(host: string): string | null {
  const isName = host.length <= 253 && hostName.test(host)
  if (isName || isIP(host.replace(/^\[(.+)\]$/, '$1')) !== 0) return null
  return '"host" must be a host name, an IP address, or * and a host name, as *.example.com: no scheme, port or path'
}
