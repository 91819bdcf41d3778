import type { ClientCertificate } from '../contract/client-certificate.ts'

/**
 * The certificate to show to a host, of a list with the newest first: one for exactly this host before one with a
 * wildcard, then the newest (semantics §6). `*.example.com` is for hosts with one label more than example.com, as in
 * certificates of servers (RFC 6125 §6.4.3), and no wildcard is for an IP address. Null where none is for it.
 */
export function clientCertificateFor(
  hostname: string,
  certificates: readonly ClientCertificate[],
): ClientCertificate | null {
  if (certificates.length === 0) return null
  const host = canonical(hostname)
  const wildcard = wildcardFor(host)
  const forHost = (wanted: string) => certificates.find((one) => canonical(one.host) === wanted)
  return forHost(host) ?? (wildcard === null ? null : (forHost(wildcard) ?? null))
}

/** Null for a host that is no name of two labels or more. */
function wildcardFor(host: string): string | null {
  const dot = host.indexOf('.')
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  return dot <= 0 || isAddress ? null : `*${host.slice(dot)}`
}

/** In the letters in which URLs have it: lower case, punycode, no port, no brackets, no dot of the DNS root. */
function canonical(host: string): string {
  const url = URL.parse(`http://${host}`) ?? URL.parse(`http://[${host}]`)
  return (url?.hostname ?? host.toLowerCase()).replace(/^\[|\]$|\.$/g, '')
}
