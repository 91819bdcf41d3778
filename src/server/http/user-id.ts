import { hashId } from '../../lib/ids.ts'

/** Of a person who has keys: the same for all of them. */
export const userIdOf = (accountId: string, userName: string): string => hashId('user', accountId, userName)
