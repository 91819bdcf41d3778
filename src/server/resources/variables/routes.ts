import { VariableCreate, VariableUpdate } from '../../../contract/resources/variable.ts'
import { Variable } from '../../../contract/variable.ts'
import { findVariable, listVariables } from '../../../storage/variables.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { crudRoutes } from '../../http/crud-routes.ts'
import { createVariable, removeVariable, replaceVariable, type VariableOptions } from './store-variable.ts'
import { toResource } from './to-resource.ts'

/** Variables of the account: every check has them, under its own and its group's (semantics §6). */
export function variableRoutes(app: App, options: VariableOptions): void {
  const db = options.database.kysely
  crudRoutes(app, {
    path: '/v1/variables',
    tags: ['Environment variables'],
    ids: 'text',
    idName: 'key',
    schemas: { create: VariableCreate, update: VariableUpdate, resource: Variable },
    actions: {
      list: async (accountId, page) => {
        const { rows, total } = await listVariables(db, accountId, page)
        return { rows: rows.map(toResource), total }
      },
      create: async (accountId, body) => toResource(await createVariable(options, accountId, body)),
      find: async (accountId, key) => toResource(found(await findVariable(db, accountId, key), 'variable')),
      replace: async (accountId, key, body) =>
        toResource(await replaceVariable(options, accountId, key, body)),
      remove: (accountId, key) => removeVariable(options, accountId, key),
    },
  })
}
