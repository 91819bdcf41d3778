import { type Static, Type } from 'typebox'
import { DateTimeText } from '../wire-time.ts'

/** A person with a key of the account; whoever has one may do everything. */
export const Member = Type.Object({
  type: Type.Literal('member'),
  accountId: Type.String(),
  userId: Type.String(),
  name: Type.String(),
  email: Type.String({
    description: 'the name where it is an address, else empty: nothing is sent to members',
  }),
  role: Type.Literal('OWNER'),
  status: Type.Literal('ACTIVE'),
  createdAt: DateTimeText,
  updatedAt: DateTimeText,
  isSupportMembership: Type.Boolean(),
  ssoEnabled: Type.Boolean(),
  mfaEnabled: Type.Boolean(),
})
export type Member = Static<typeof Member>

export const MemberList = Type.Object({
  members: Type.Array(Member),
  length: Type.Integer(),
  nextId: Type.Null(),
})
