import { X509Certificate } from 'node:crypto'

/** Neither Base64 nor the label of a certificate has a dash: what begins a block in vain is read once. */
const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const beginning = /-----BEGIN [A-Z0-9 ]+-----/g

/** The certificates of a PEM text, in its order; null when there is none, or anything else, in it. */
export function readCertificates(pem: string): readonly X509Certificate[] | null {
  const blocks = pem.match(block) ?? []
  if (blocks.length === 0 || blocks.length !== pem.match(beginning)?.length) return null
  try {
    return blocks.map((text) => new X509Certificate(text))
  } catch {
    return null
  }
}
