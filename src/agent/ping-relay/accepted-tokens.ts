import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { PingsResponse } from '../../contract/agent-pings.ts'

const unpack = promisify(gunzip)

/** In what was made of records, a quote that is none of its own is escaped: this stands once in each. */
const tokens = /"token":"([0-9a-f-]{36})"/g

/** Those of the pings in an upload (a PingsRequest as gzipped JSON) that the service took. */
export async function acceptedTokens(
  body: Uint8Array,
  { refused }: Pick<PingsResponse, 'refused'>,
): Promise<string[]> {
  const isRefused = new Set(refused.map(({ index }) => index))
  const sent = [...(await unpack(body)).toString().matchAll(tokens)]
  return sent.flatMap(([, token = ''], index) => (isRefused.has(index) ? [] : [token]))
}
