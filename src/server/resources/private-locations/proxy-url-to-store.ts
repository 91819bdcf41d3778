import type { Sealer } from '../../../lib/sealing.ts'
import type { Schema } from '../../../storage/schema.ts'
import { inputInvalid } from '../../http/api-error.ts'
import {
  hidePassword,
  lacksPassword,
  openProxyUrl,
  proxyUrlFault,
  sealProxyUrl,
} from '../../secrets/proxy-url.ts'

type Stored = Pick<Schema['privateLocations'], 'id' | 'proxyUrl'>

const invalid = (text: string) => inputInvalid([{ path: 'proxyUrl', text }])

/**
 * What is stored for the proxyUrl that was sent, sealed. The text that was shown stands for the stored one with its
 * password; where anything else of it changed it does not, or the password would go to another proxy. @throws ApiError 400
 */
export function proxyUrlToStore(
  sealer: Sealer,
  id: string,
  sent: string | null,
  stored: Stored = { id, proxyUrl: null },
): string | null {
  const fault = proxyUrlFault(sent)
  if (fault !== null) throw invalid(fault)
  if (!sent || !lacksPassword(sent)) return sealProxyUrl(sealer, id, sent)
  const known = openProxyUrl(sealer, stored)
  if (known !== null && hidePassword(known) === sent) return sealProxyUrl(sealer, id, known)
  throw invalid(
    '"proxyUrl" must have the password itself: *** stands for the stored one only while the rest is what it was',
  )
}
