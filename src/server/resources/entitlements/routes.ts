import { Type } from 'typebox'
import { Entitlements } from '../../../contract/resources/entitlement.ts'
import { Text } from '../../../contract/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf, namedAccount } from '../../http/authentication.ts'
import { selfHostedEntitlements } from './entitlements.ts'

const tags = ['Accounts']
const summary = 'What the account may use'

export function entitlementRoutes(app: App): void {
  app.get(
    '/v1/accounts/me/entitlements',
    { schema: { tags, summary, response: { 200: Entitlements } } },
    (request) => {
      accountOf(request)
      return selfHostedEntitlements
    },
  )

  app.get(
    '/v1/accounts/:accountId/entitlements',
    {
      schema: {
        tags,
        summary,
        params: Type.Object({ accountId: Text({ maxLength: 100 }) }),
        response: { 200: Entitlements },
      },
    },
    (request) => {
      namedAccount(request, request.params.accountId)
      return selfHostedEntitlements
    },
  )
}
