import type { Kysely } from 'kysely'
import { type Member, MemberList } from '../../../contract/resources/member.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import { listApiKeys } from '../../../storage/api-keys.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { userIdOf } from '../../http/user-id.ts'

const tags = ['Accounts']

type ApiKeyRow = Schema['apiKeys']

/** Of a person's keys, the oldest first. */
function toMember(accountId: string, name: string, keys: readonly ApiKeyRow[]): Member {
  const times = keys.map(({ createdAt }) => createdAt)
  return {
    type: 'member',
    accountId,
    userId: userIdOf(accountId, name),
    name,
    email: name.includes('@') ? name : '',
    role: 'OWNER',
    status: 'ACTIVE',
    createdAt: dateTimeText(Math.min(...times)),
    updatedAt: dateTimeText(Math.max(...times)),
    isSupportMembership: false,
    ssoEnabled: false,
    mfaEnabled: false,
  }
}

/** Who has a key of the account: where `checkly members` asks. Keys are made and revoked by `picket keys`. */
export function memberRoutes(app: App, { db }: { readonly db: Kysely<Schema> }): void {
  app.get(
    '/v1/accounts/me/members',
    {
      schema: {
        tags,
        summary: 'List the people who have a key of the account',
        response: { 200: MemberList },
      },
    },
    async (request) => {
      const accountId = accountOf(request)
      const keys = (await listApiKeys(db, accountId)).filter(({ kind }) => kind === 'user')
      const people = Map.groupBy(keys, ({ userName }) => userName ?? '')
      const members = [...people].map(([name, ofPerson]) => toMember(accountId, name, ofPerson))
      return { members, length: members.length, nextId: null }
    },
  )
}
