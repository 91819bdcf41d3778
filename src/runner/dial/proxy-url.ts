import { Secret } from '../../lib/secret.ts'

/** A proxy that check traffic goes through. */
export interface ProxySettings {
  /** The connection to the proxy itself is over TLS. */
  readonly secure: boolean
  /** A name, or an IP literal without brackets. */
  readonly hostname: string
  readonly port: number
  /** What `Proxy-Authorization` says; null without credentials. */
  readonly authorization: Secret | null
}

const allowed = 'a URL such as http://proxy.internal:3128 or https://user:password@proxy.internal:3129'

/** Reads `http://…` and `https://…`; the ports are 80 and 443 unless named. A fault never tells the text: it may hold a password. */
export function parseProxyUrl(
  text: string,
): { readonly settings: ProxySettings } | { readonly fault: string } {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { fault: allowed }
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user === null || password === null) return { fault: 'percent-encoded in its user and password' }
  const secure = url.protocol === 'https:'
  return {
    settings: {
      secure,
      hostname: url.hostname.replace(/^\[|\]$|\.$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      authorization: user === '' && password === '' ? null : basic(user, password),
    },
  }
}

function basic(user: string, password: string): Secret {
  return new Secret(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
