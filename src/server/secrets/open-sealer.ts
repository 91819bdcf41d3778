import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { Sealer } from '../../lib/sealing.ts'
import type { Secret } from '../../lib/secret.ts'
import { SettingsError } from '../../lib/settings.ts'
import type { Database } from '../../storage/database.ts'
import { findSecretKeyProof, insertSecretKeyProof } from '../../storage/secret-key-proof.ts'
import { takeTurn } from '../../storage/take-turn.ts'
import type { SecretKeySource } from '../config.ts'
import { sealedPlaces } from './sealed-places.ts'
import { makeSecretKey, readSecretKey } from './secret-key-file.ts'

type KnownSource = Exclude<SecretKeySource, { kind: 'none' }>

const proofText = 'picket'

const anotherKey = (cause?: unknown) =>
  new AppError(
    'SECRET_KEY_WRONG',
    'The secrets in this database were encrypted with another key: set PICKET_SECRET_KEY to that key, or put the file secret.key that belongs to this database back beside the SQLite file',
    { fatal: true, cause },
  )

/** @throws SettingsError where the operator must give the key, and did not */
export function assertKeyIsKnown(source: SecretKeySource): KnownSource {
  if (source.kind !== 'none') return source
  const text =
    'PICKET_SECRET_KEY is required with PostgreSQL: `openssl rand -hex 32` makes one. Give it to every server of the database and keep it: without it the secrets in the database are lost'
  throw new SettingsError([{ path: 'PICKET_SECRET_KEY', text }])
}

async function findKey(database: Database, source: KnownSource): Promise<Secret> {
  if (source.kind === 'given') return source.key
  // Before the file is looked for: a process that starts at the same time writes the file first.
  const isSealed = (await findSecretKeyProof(database.kysely)) !== undefined
  const kept = readSecretKey(source.path)
  if (kept) return kept
  if (isSealed) throw anotherKey()
  return makeSecretKey(source.path)
}

/** A database belongs to the first key that it is opened with. */
async function prove(database: Database, sealer: Sealer, now: number): Promise<void> {
  await database.transaction(async (db) => {
    await takeTurn(db)
    const proof = await findSecretKeyProof(db)
    if (proof === undefined) {
      await insertSecretKeyProof(db, sealer.seal(proofText, sealedPlaces.secretKeyProof), now)
      return
    }
    assertOpens(sealer, proof)
  })
}

function assertOpens(sealer: Sealer, proof: string): void {
  try {
    sealer.open(proof, sealedPlaces.secretKeyProof)
  } catch (cause) {
    throw anotherKey(cause)
  }
}

/** Nothing is written: a database that belongs to no key yet opens with any. @throws AppError SECRET_KEY_WRONG */
export async function assertKeyOpens(database: Database, key: Secret | null): Promise<void> {
  const proof = await findSecretKeyProof(database.kysely)
  if (proof === undefined) return
  if (key === null) throw anotherKey()
  assertOpens(new Sealer(key), proof)
}

/**
 * The sealer of the database's secrets. A database without any gets its key now: the given one, or a new one in the file.
 * @throws AppError SECRET_KEY_WRONG, SECRET_KEY_UNUSABLE
 */
export async function openSealer(database: Database, source: KnownSource, clock: Clock): Promise<Sealer> {
  const sealer = new Sealer(await findKey(database, source))
  await prove(database, sealer, clock.now())
  return sealer
}
