import { isSealed, type Sealer } from '../../lib/sealing.ts'
import type { Database } from '../../storage/database.ts'
import { listAllPrivateLocations, replaceProxyUrl } from '../../storage/private-locations.ts'
import { wipeReplacedRows } from '../../storage/wipe-replaced-rows.ts'
import { sealProxyUrl } from './proxy-url.ts'

/** Seals what was stored before there was a key, and leaves no trace of it. Returns how many rows that were. */
export async function sealStored(database: Database, sealer: Sealer): Promise<number> {
  const places = await listAllPrivateLocations(database.kysely)
  const plain = places.flatMap(({ id, proxyUrl }) =>
    proxyUrl && !isSealed(proxyUrl) ? [{ id, from: proxyUrl, to: sealProxyUrl(sealer, id, proxyUrl) }] : [],
  )
  for (const { id, from, to } of plain) await replaceProxyUrl(database.kysely, id, { from, to })
  if (plain.length > 0) await wipeReplacedRows(database)
  return plain.length
}
