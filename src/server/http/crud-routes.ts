import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { pageQuery } from '../../contract/paging.ts'
import { Text } from '../../contract/schema.ts'
import type { Page, Paged } from '../../storage/page.ts'
import type { Collection, Stored } from '../stored/collection.ts'
import type { App } from './app-type.ts'
import { accountOf } from './authentication.ts'
import { pageOf, setContentRange } from './paging.ts'

/** An id in a path. */
export const ByTextId = Type.Object({ id: Text() })
/** An id in a path that is a number; converted from the text it comes as. */
export const ByNumberId = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})

interface CrudSchemas<C extends TSchema, U extends TSchema, R extends TSchema> {
  readonly create: C
  readonly update: U
  readonly resource: R
}

/** What is done with a resource of the account. Those that find none throw ApiError 404. */
export interface CrudActions<C, U, R> {
  readonly list: (accountId: string, page: Page) => Promise<Paged<R>>
  readonly create: (accountId: string, body: C) => Promise<R>
  readonly find: (accountId: string, id: string) => Promise<R>
  readonly replace: (accountId: string, id: string, body: U) => Promise<R>
  readonly remove: (accountId: string, id: string) => Promise<void>
}

/** The actions of resources that are stored as they are sent. */
export const actionsOf = <T, R>(
  collection: Collection<T>,
  toResource: (stored: Stored<T>) => R,
): CrudActions<T, T, R> => ({
  list: async (accountId, page) => {
    const { rows, total } = await collection.list(accountId, page)
    return { rows: rows.map(toResource), total }
  },
  create: async (accountId, body) => toResource(await collection.create(accountId, body)),
  find: async (accountId, id) => toResource(await collection.find(accountId, id)),
  replace: async (accountId, id, body) => toResource(await collection.replace(accountId, id, body)),
  remove: (accountId, id) => collection.remove(accountId, id),
})

interface ItemOptions<C extends TSchema, U extends TSchema, R extends TSchema> {
  /** `/v1/snippets`; one of them is `/v1/snippets/:id`. */
  readonly path: string
  readonly tags: string[]
  readonly ids: 'text' | 'number'
  /** What the path calls the id; `id` when left out. */
  readonly idName?: string
  /** Of a body that makes or replaces one, where it is not what all have. */
  readonly bodyLimitBytes?: number
  readonly schemas: CrudSchemas<C, U, R>
  readonly actions: Omit<CrudActions<Static<C>, Static<U>, Static<R>>, 'list'>
}

interface CrudOptions<C extends TSchema, U extends TSchema, R extends TSchema> extends ItemOptions<C, U, R> {
  readonly actions: CrudActions<Static<C>, Static<U>, Static<R>>
}

/**
 * The five operations that most resources have, with the status codes of semantics §2: create 201, update 200, delete
 * 204 with an empty body, a list as a bare array with `content-range`. A resource that differs in one of them writes its
 * routes out.
 */
export function crudRoutes<C extends TSchema, U extends TSchema, R extends TSchema>(
  app: App,
  options: CrudOptions<C, U, R>,
): void {
  const { path, tags, schemas, actions } = options
  app.get<{ Querystring: { limit: number; page: number } }>(
    path,
    {
      schema: { tags, querystring: Type.Object(pageQuery), response: { 200: Type.Array(schemas.resource) } },
    },
    async (request, reply) => {
      const page = pageOf(request.query)
      const { rows, total } = await actions.list(accountOf(request), page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows
    },
  )
  itemRoutes(app, options)
}

/** The same without the list. */
export function itemRoutes<C extends TSchema, U extends TSchema, R extends TSchema>(
  app: App,
  { path, tags, ids, idName = 'id', bodyLimitBytes, schemas, actions }: ItemOptions<C, U, R>,
): void {
  const one = `${path}/:${idName}`
  const params = Type.Object({ [idName]: (ids === 'number' ? ByNumberId : ByTextId).properties.id })
  const limits = bodyLimitBytes === undefined ? {} : { bodyLimit: bodyLimitBytes }
  type Id = Record<string, string | number>
  type Body = { Body: unknown }

  app.post<Body>(
    path,
    { ...limits, schema: { tags, body: schemas.create, response: { 201: schemas.resource } } },
    async (request, reply) =>
      reply.code(201).send(await actions.create(accountOf(request), validated<C>(request.body))),
  )

  app.get<{ Params: Id }>(one, { schema: { tags, params, response: { 200: schemas.resource } } }, (request) =>
    actions.find(accountOf(request), String(request.params[idName])),
  )

  app.put<Body & { Params: Id }>(
    one,
    { ...limits, schema: { tags, params, body: schemas.update, response: { 200: schemas.resource } } },
    (request) =>
      actions.replace(accountOf(request), String(request.params[idName]), validated<U>(request.body)),
  )

  app.delete<{ Params: Id }>(
    one,
    { schema: { tags, params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await actions.remove(accountOf(request), String(request.params[idName]))
      return reply.code(204).send(null)
    },
  )
}

/** A route's body has met the route's schema by the time its handler runs. */
const validated = <T extends TSchema>(body: unknown): Static<T> => body as Static<T>
