import type { Kysely } from 'kysely'
import { type Static, Type } from 'typebox'
import { AlertSettings } from '../../../contract/alert-settings.ts'
import { Account } from '../../../contract/resources/account.ts'
import { validator } from '../../../lib/validate.ts'
import { findAccount } from '../../../storage/accounts.ts'
import type { Schema } from '../../../storage/schema.ts'
import { notFound } from '../../api-error.ts'
import type { App } from '../../app-type.ts'
import { accountOf } from '../../authentication.ts'

const tags = ['Accounts']
const withDefaults = validator(Type.Object({ alertSettings: AlertSettings }))

/** Self-hosted: everything is in it. Clients know the highest tier by this name. */
const everything = { tier: 'team', tierDisplayName: 'Self-hosted' }

export function accountRoutes(app: App, { db }: { readonly db: Kysely<Schema> }): void {
  async function load(id: string): Promise<Static<typeof Account>> {
    const row = await findAccount(db, id)
    if (!row) throw notFound('account')
    const defaults = withDefaults({})
    if (defaults.kind === 'invalid') throw new Error('the default alert settings do not fit their own schema')
    return {
      id: row.id,
      name: row.name,
      runtimeId: row.runtimeId,
      plan: 'self-hosted',
      planDisplayName: everything.tierDisplayName,
      addons: { communicate: everything, resolve: everything },
      settings: {},
      alertSettings: defaults.value.alertSettings,
    }
  }

  app.get('/v1/accounts', { schema: { tags, response: { 200: Type.Array(Account) } } }, async (request) => [
    await load(accountOf(request)),
  ])

  app.get('/v1/accounts/me', { schema: { tags, response: { 200: Account } } }, (request) =>
    load(accountOf(request)),
  )

  app.get(
    '/v1/accounts/:accountId',
    { schema: { tags, params: Type.Object({ accountId: Type.String() }), response: { 200: Account } } },
    (request) => {
      if (request.params.accountId !== accountOf(request)) throw notFound('account')
      return load(request.params.accountId)
    },
  )
}
