import type { IncomingMessage } from 'node:http'
import type { TakenPing } from '../../contract/agent-pings.ts'
import { readBodyBeginning, storableText } from '../../lib/body-beginning.ts'
import {
  isPingToken,
  keptPingBytes,
  type PingSignal,
  pingHeader,
  pingMethods,
  pingPath,
  pingSignalOf,
  plainPing,
} from '../../rules/ping-request.ts'

/** What a request asks for: a ping by its method and URL, or the status that refuses it. */
export type AskedPing =
  | { readonly kind: 'ping'; readonly token: string; readonly signal: PingSignal }
  | { readonly kind: 'refused'; readonly status: 404 | 405 }

const nothing: AskedPing = { kind: 'refused', status: 404 }

/** As the service's own ping URLs, below whatever origin. */
export function askedPing({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): AskedPing {
  const [path = ''] = url.split('?', 1)
  if (!path.startsWith(pingPath)) return nothing
  const [name = '', said, ...more] = path.slice(pingPath.length).split('/')
  if (more.length > 0) return nothing
  const isPing: readonly string[] = pingMethods
  if (!isPing.includes(method)) return { kind: 'refused', status: 405 }
  const token = name.toLowerCase()
  const signal = said === undefined ? plainPing : pingSignalOf(said)
  return signal && isPingToken(token) ? { kind: 'ping', token, signal } : nothing
}

/** Reads the rest of a ping. @param at when it came, epoch ms by the service's clock; null where that is not known */
export async function readPing(
  request: IncomingMessage,
  { token, signal }: Pick<Extract<AskedPing, { kind: 'ping' }>, 'token' | 'signal'>,
  at: number | null,
): Promise<TakenPing> {
  const { origin, referer, 'user-agent': userAgent } = request.headers
  return {
    token,
    ...signal,
    at,
    source: storable(pingHeader([origin, referer])),
    userAgent: storable(pingHeader([userAgent])),
    body: await readBodyBeginning(request, keptPingBytes),
  }
}

const storable = (text: string | null): string | null => (text === null ? null : storableText(text))
