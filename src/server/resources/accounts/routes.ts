import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { Account } from '../../../contract/resources/account.ts'
import { Text } from '../../../contract/schema.ts'
import { findAccount } from '../../../storage/accounts.ts'
import type { Schema } from '../../../storage/schema.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf, namedAccount } from '../../http/authentication.ts'
import { toResource } from './to-resource.ts'

const tags = ['Accounts']
const params = Type.Object({ accountId: Text({ maxLength: 100 }) })

/** Under `/v1`, and under `/next`, where the `checkly` command asks for them. */
export function accountRoutes(app: App, { db }: { readonly db: Kysely<Schema> }): void {
  const load = async (id: string): Promise<Account> => toResource(found(await findAccount(db, id), 'account'))

  for (const version of ['/v1', '/next']) {
    app.get(
      `${version}/accounts`,
      { schema: { tags, response: { 200: Type.Array(Account) } } },
      async (request) => [await load(accountOf(request))],
    )

    app.get(
      `${version}/accounts/me`,
      { schema: { tags, summary: 'Read the account of the key', response: { 200: Account } } },
      (request) => load(accountOf(request)),
    )

    app.get(
      `${version}/accounts/:accountId`,
      { schema: { tags, params, response: { 200: Account } } },
      (request) => load(namedAccount(request, request.params.accountId)),
    )
  }
}
