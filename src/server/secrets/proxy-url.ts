import { isSealed, type Sealer } from '../../lib/sealing.ts'
import type { Schema } from '../../storage/schema.ts'
import { sealedPlaces } from './sealed-places.ts'

type Stored = Pick<Schema['privateLocations'], 'id' | 'proxyUrl'>

/** What a proxy's password is shown as. */
const hidden = '***'
/** A proxy has an address and nothing behind it; what the parser would silently drop is not there either. */
const address = /^https?:\/\/[^\s/?#\\]+\/?$/i
const withPassword = /^(https?:\/\/[^/:]*:)([^/]+)(@[^/@]*)/i

/** Why it cannot be the way to targets, as a sentence; null when it can. Empty: there is no proxy. */
export function proxyUrlFault(proxyUrl: string | null): string | null {
  if (proxyUrl === null || proxyUrl === '') return null
  if (!address.test(proxyUrl) || !URL.canParse(proxyUrl))
    return '"proxyUrl" must be a URL that starts with http:// or https://, with no path'
  return null
}

/** As it is shown: what was sent, with its password hidden. */
export const hidePassword = (proxyUrl: string): string => proxyUrl.replace(withPassword, `$1${hidden}$3`)

/** Whether it has what is shown in place of a password, and no password. */
export const lacksPassword = (proxyUrl: string): boolean => withPassword.exec(proxyUrl)?.[2] === hidden

export function sealProxyUrl<T extends string | null>(sealer: Sealer, id: string, proxyUrl: T): T | string {
  return proxyUrl ? sealer.seal(proxyUrl, sealedPlaces.proxyUrl(id)) : proxyUrl
}

/** Null and the empty text stay what they are, and so does what a server of an older version wrote meanwhile. */
export function openProxyUrl(sealer: Sealer, { id, proxyUrl }: Stored): string | null {
  return proxyUrl && isSealed(proxyUrl) ? sealer.open(proxyUrl, sealedPlaces.proxyUrl(id)) : proxyUrl
}
