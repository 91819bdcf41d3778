import { type Static, type TSchema, Type } from 'typebox'
import { pageQuery } from '../../../contract/paging.ts'
import {
  ErrorGroup,
  ErrorGroupUpdate,
  TestSessionErrorGroup,
} from '../../../contract/resources/error-group.ts'
import { Text } from '../../../contract/schema.ts'
import { findCheck } from '../../../storage/checks.ts'
import type { Database } from '../../../storage/database.ts'
import { findErrorGroup, listErrorGroups } from '../../../storage/error-groups.ts'
import type { Schema } from '../../../storage/schema.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { pageOf, setContentRange } from '../../http/paging.ts'
import { archive } from './archive.ts'
import { toErrorGroup, toTestErrorGroup } from './to-resource.ts'

const querystring = Type.Object(pageQuery)
const ById = Type.Object({ id: Text({ maxLength: 100 }) })
const ByCheck = Type.Object({ checkId: Text({ maxLength: 100 }) })
const ByProject = Type.Object({ projectId: Text({ maxLength: 100 }) })

interface Kind<T extends TSchema> {
  readonly path: string
  readonly tags: string[]
  readonly scope: Schema['errorGroups']['scope']
  readonly resource: T
  readonly toResource: (row: Schema['errorGroups']) => Static<T>
}

const ofChecks = {
  path: '/v1/error-groups',
  tags: ['Error groups'],
  scope: 'check',
  resource: ErrorGroup,
  toResource: toErrorGroup,
} as const satisfies Kind<typeof ErrorGroup>

const ofTests = {
  path: '/v1/test-session-error-groups',
  tags: ['Test session error groups'],
  scope: 'test',
  resource: TestSessionErrorGroup,
  toResource: toTestErrorGroup,
} as const satisfies Kind<typeof TestSessionErrorGroup>

/** Failing results by what is alike in their messages (service.md, Error group). */
export function errorGroupRoutes(app: App, { database }: { readonly database: Database }): void {
  sharedRoutes(app, database, ofChecks)
  sharedRoutes(app, database, ofTests)
  const db = database.kysely
  const { path, tags, scope } = ofChecks

  app.get(
    `${path}/checks/:checkId`,
    {
      schema: {
        tags,
        summary: 'List error groups of a check',
        params: ByCheck,
        querystring,
        response: { 200: Type.Array(ErrorGroup) },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { checkId } = request.params
      found(await findCheck(db, accountId, checkId), 'check')
      const page = pageOf(request.query)
      const { rows, total } = await listErrorGroups(db, { accountId, scope, checkId }, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toErrorGroup)
    },
  )

  app.get(
    `${ofTests.path}/projects/:projectId`,
    {
      schema: {
        tags: ofTests.tags,
        summary: 'List error groups of a project',
        description: 'There are no projects, and so no error groups of one.',
        params: ByProject,
        response: { 200: Type.Array(TestSessionErrorGroup) },
      },
    },
    () => [],
  )
}

function sharedRoutes<T extends TSchema>(app: App, database: Database, kind: Kind<T>): void {
  const db = database.kysely
  const { path, scope, resource, toResource } = kind
  const tags = [...kind.tags]

  app.get<{ Querystring: Static<typeof querystring> }>(
    path,
    { schema: { tags, querystring, response: { 200: Type.Array(resource) } } },
    async (request, reply) => {
      const page = pageOf(request.query)
      const { rows, total } = await listErrorGroups(db, { accountId: accountOf(request), scope }, page)
      setContentRange(reply, page.offset, rows.length, total)
      return rows.map(toResource)
    },
  )

  app.get<{ Params: Static<typeof ById> }>(
    `${path}/:id`,
    { schema: { tags, params: ById, response: { 200: resource } } },
    async (request) => {
      const row = await findErrorGroup(db, accountOf(request), scope, request.params.id)
      return toResource(found(row, 'error group'))
    },
  )

  app.patch<{ Params: Static<typeof ById>; Body: ErrorGroupUpdate }>(
    `${path}/:id`,
    { schema: { tags, params: ById, body: ErrorGroupUpdate, response: { 200: resource } } },
    async (request) => {
      const one = { accountId: accountOf(request), scope, id: request.params.id }
      return toResource(await archive(database, one, request.body))
    },
  )
}
