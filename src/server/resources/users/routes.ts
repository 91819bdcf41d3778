import { User } from '../../../contract/resources/user.ts'
import type { App } from '../../http/app-type.ts'
import { userOf } from '../../http/authentication.ts'

/** Where `checkly whoami` asks. */
export function userRoutes(app: App): void {
  const schema = { tags: ['Users'], summary: 'Whom the key belongs to', response: { 200: User } }
  app.get('/next/users/me', { schema }, userOf)
}
