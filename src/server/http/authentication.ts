import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { User } from '../../contract/resources/user.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashKey } from '../../lib/ids.ts'
import type { Secret } from '../../lib/secret.ts'
import { findApiKeyByHash, touchApiKey } from '../../storage/api-keys.ts'
import { findLocationKeyByHash } from '../../storage/location-keys.ts'
import type { Schema } from '../../storage/schema.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
import { ApiError, notFound } from './api-error.ts'
import { userIdOf } from './user-id.ts'

/** Whom an agent's key stands for: `accountId` is null for a data-center location, which serves all accounts. */
export interface AgentPrincipal {
  readonly kind: 'agent'
  readonly keyId: string
  readonly accountId: string | null
  readonly location: string
  /** The agent of `picket up`, which serves every data-center location that no other agent serves. */
  readonly embedded: boolean
}
interface AccountPrincipal {
  readonly kind: 'account'
  readonly keyId: string
  readonly accountId: string
  readonly user: User
}
type Principal = AgentPrincipal | AccountPrincipal

export interface AuthenticationOptions {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly embeddedAgentKey: Secret | undefined
}

const embeddedLocation = 'embedded'
const lastUsedResolutionMs = 60_000
const principals = new WeakMap<FastifyRequest, Principal>()

/** In characters. */
export const longestKey = 200

const unauthorized = () => new ApiError('UNAUTHORIZED', 'Bad Token')

function accountPrincipalOf(request: FastifyRequest): AccountPrincipal {
  const principal = principals.get(request)
  if (principal?.kind !== 'account') throw unauthorized()
  return principal
}

/** The account whose key this request carries. */
export const accountOf = (request: FastifyRequest): string => accountPrincipalOf(request).accountId

/** Whose key this request carries. */
export const userOf = (request: FastifyRequest): User => accountPrincipalOf(request).user

/** The account that a path names: no other than the key's own can be found. @throws ApiError 404 */
export function namedAccount(request: FastifyRequest, accountId: string): string {
  if (accountId !== accountOf(request)) throw notFound('account')
  return accountId
}

/** The location whose key this request carries. */
export function agentOf(request: FastifyRequest): AgentPrincipal {
  const principal = principals.get(request)
  if (principal?.kind !== 'agent') throw unauthorized()
  return principal
}

/** What a rate limit counts by: the key, or the address (of IPv6 the net) of whoever comes without one. */
export function callerOf(request: FastifyRequest): string {
  return principals.get(request)?.keyId ?? normalizeIP(request.ip)
}

function bearerToken(request: FastifyRequest): string {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined || token.length > longestKey) throw unauthorized()
  return token
}

function toUser({ id, kind, accountId, name, userName }: Schema['apiKeys']): User {
  return kind === 'user' && userName !== null
    ? { id: userIdOf(accountId, userName), name: userName }
    : { id, name }
}

/** A hook that lets API keys through, for their own account alone (semantics §2). @throws ApiError 401, 403 */
export function authenticateAccount(options: AuthenticationOptions) {
  return async (request: FastifyRequest): Promise<void> => {
    const key = await findApiKeyByHash(options.db, hashKey(bearerToken(request)))
    if (!key || key.revokedAt !== null) throw unauthorized()
    for (const header of ['x-service-account', 'x-checkly-account']) {
      const named = request.headers[header]
      if (named !== undefined && named !== '' && named !== key.accountId) {
        throw new ApiError('FORBIDDEN', `"${header}" names an account that this key does not open`)
      }
    }
    const { id: keyId, accountId } = key
    principals.set(request, { kind: 'account', keyId, accountId, user: toUser(key) })
    const now = options.clock.now()
    if (key.lastUsedAt === null || now - key.lastUsedAt > lastUsedResolutionMs) {
      await touchApiKey(options.db, key.id, now).catch(forgiveUnavailable)
    }
  }
}

/** When a key was used last is worth no refusal: what is only read can be read while nothing can be written. */
function forgiveUnavailable(error: unknown): void {
  if (!isUnavailable(error)) throw error
}

/** A hook that lets location keys through. @throws ApiError 401 */
export function authenticateAgent(options: AuthenticationOptions) {
  const embeddedHash = options.embeddedAgentKey && hashKey(options.embeddedAgentKey.reveal())
  return async (request: FastifyRequest): Promise<void> => {
    const hash = hashKey(bearerToken(request))
    if (hash === embeddedHash) {
      const location = embeddedLocation
      principals.set(request, { kind: 'agent', keyId: location, accountId: null, location, embedded: true })
      return
    }
    const key = await findLocationKeyByHash(options.db, hash)
    if (!key) throw unauthorized()
    const { id: keyId, accountId, location } = key
    principals.set(request, { kind: 'agent', keyId, accountId, location, embedded: false })
  }
}
