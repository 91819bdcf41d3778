import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import {
  PrivateLocation,
  PrivateLocationBare,
  PrivateLocationCreate,
  PrivateLocationKey,
  PrivateLocationUpdate,
} from '../../../contract/resources/private-location.ts'
import { Text } from '../../../contract/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { hashKey, maskKey, newId, newKey } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import { listAgents } from '../../../storage/agents.ts'
import type { Database } from '../../../storage/database.ts'
import { deleteIllLocation, listIllLocations } from '../../../storage/ill-locations.ts'
import { deleteLocationKey, insertLocationKey, listLocationKeys } from '../../../storage/location-keys.ts'
import {
  deletePrivateLocation,
  findPrivateLocation,
  insertPrivateLocation,
  listPrivateLocations,
  lockPrivateLocation,
  lockPrivateLocations,
  updatePrivateLocation,
} from '../../../storage/private-locations.ts'
import type { Schema } from '../../../storage/schema.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { incapablePlaces } from '../../stored/incapable-places.ts'
import { assertUnused } from './assert-unused.ts'
import { proxyUrlToStore } from './proxy-url-to-store.ts'
import { bareResource, keyResource, locationResource } from './to-resource.ts'

export interface PrivateLocationOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

const tags = ['Private locations']
const ById = Type.Object({ id: Text() })
/** For rotation: the old key and the new one (semantics §10). */
const maxKeys = 2
/** Of one account: a list has them all. */
const mostLocations = 1000

/** Belongs under the account's lock. @throws ApiError 409 */
async function assertRoom(db: Kysely<Schema>, accountId: string): Promise<void> {
  if ((await listPrivateLocations(db, accountId)).length < mostLocations) return
  throw new ApiError(
    'CONFLICT',
    `There are at most ${mostLocations} of this kind (private location): delete one first`,
  )
}

export function privateLocationRoutes(app: App, { database, clock, sealer }: PrivateLocationOptions): void {
  const db = database.kysely
  const startedAt = clock.now()

  async function load(accountId: string, id: string) {
    const row = await findPrivateLocation(db, accountId, id)
    if (!row) throw notFound('private location')
    return row
  }

  async function describe(accountId: string, rows: readonly Schema['privateLocations'][]) {
    const keys = await listLocationKeys(
      db,
      rows.map(({ id }) => id),
    )
    const agents = await listAgents(db, {
      accountId,
      locations: rows.map(({ slugName }) => slugName),
      seenSince: 0,
    })
    const ill = await listIllLocations(db)
    const incapable = await incapablePlaces(db, { accountId, now: clock.now() })
    return rows.map((row) =>
      locationResource(sealer, row, {
        keys: keys.filter((key) => key.privateLocationId === row.id),
        agents: agents.filter((agent) => agent.location === row.slugName),
        ill: ill.find((place) => place.accountId === accountId && place.location === row.slugName),
        incapable: incapable.filter((place) => place.location === row.slugName),
        now: clock.now(),
        startedAt,
      }),
    )
  }

  app.get(
    '/v1/private-locations',
    { schema: { tags, response: { 200: Type.Array(PrivateLocation) } } },
    async (request) => {
      const accountId = accountOf(request)
      return describe(accountId, await listPrivateLocations(db, accountId))
    },
  )

  app.post(
    '/v1/private-locations',
    { schema: { tags, body: PrivateLocationCreate, response: { 201: PrivateLocationBare } } },
    async (request, reply) => {
      const { name, slugName, icon } = request.body
      const id = newId()
      const proxyUrl = proxyUrlToStore(sealer, id, request.body.proxyUrl)
      const row = {
        id,
        accountId: accountOf(request),
        name,
        slugName,
        icon,
        proxyUrl,
        createdAt: clock.now(),
        updatedAt: null,
      }
      const inserted = await database.transaction(async (tx) => {
        await lockAccount(tx, row.accountId)
        await assertRoom(tx, row.accountId)
        return insertPrivateLocation(tx, row)
      })
      if (!inserted) {
        throw new ApiError(
          'CONFLICT',
          `A private location with slugName "${slugName}" exists: choose another slugName`,
        )
      }
      return reply.code(201).send(bareResource(sealer, row, []))
    },
  )

  app.get(
    '/v1/private-locations/:id',
    { schema: { tags, params: ById, response: { 200: PrivateLocation } } },
    async (request) => {
      const accountId = accountOf(request)
      const [resource] = await describe(accountId, [await load(accountId, request.params.id)])
      if (!resource) throw notFound('private location')
      return resource
    },
  )

  app.put(
    '/v1/private-locations/:id',
    { schema: { tags, params: ById, body: PrivateLocationUpdate, response: { 200: PrivateLocationBare } } },
    async (request) => {
      const accountId = accountOf(request)
      const { id } = request.params
      const { name, icon } = request.body
      const row = await database.transaction(async (tx) => {
        const stored = await lockPrivateLocation(tx, accountId, id)
        if (!stored) throw notFound('private location')
        const proxyUrl = proxyUrlToStore(sealer, id, request.body.proxyUrl, stored)
        const changed = { ...stored, name, icon, proxyUrl, updatedAt: clock.now() }
        await updatePrivateLocation(tx, accountId, id, changed)
        return changed
      })
      return bareResource(sealer, row, await listLocationKeys(db, [id]))
    },
  )

  app.delete(
    '/v1/private-locations/:id',
    { schema: { tags, params: ById, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const accountId = accountOf(request)
      const row = await load(accountId, request.params.id)
      await database.transaction(async (tx) => {
        await lockAccount(tx, accountId)
        await lockPrivateLocations(tx, accountId, [row.slugName])
        await assertUnused(tx, accountId, row.slugName)
        if (!(await deletePrivateLocation(tx, accountId, row.id))) throw notFound('private location')
        await deleteIllLocation(tx, { accountId, location: row.slugName })
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/v1/private-locations/:id/keys',
    { schema: { tags, params: ById, response: { 201: PrivateLocationKey } } },
    async (request, reply) => {
      const accountId = accountOf(request)
      const location = await load(accountId, request.params.id)
      const rawKey = newKey('pl_')
      const row = {
        id: newId(),
        accountId,
        privateLocationId: location.id,
        location: location.slugName,
        hash: hashKey(rawKey),
        masked: maskKey(rawKey),
        createdAt: clock.now(),
      }
      if (!(await insertLocationKey(db, row, maxKeys))) {
        // It may have been deleted meanwhile.
        await load(accountId, location.id)
        throw new ApiError(
          'CONFLICT',
          `A private location has at most ${maxKeys} keys: delete one that is no longer used`,
        )
      }
      return reply.code(201).send(keyResource(row, rawKey))
    },
  )

  app.delete(
    '/v1/private-locations/:id/keys/:keyId',
    {
      schema: {
        tags,
        params: Type.Object({ id: Text(), keyId: Text() }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, keyId } = request.params
      if (!(await deleteLocationKey(db, accountOf(request), id, keyId)))
        throw notFound('key of a private location')
      return reply.code(204).send(null)
    },
  )
}
