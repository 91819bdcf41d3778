import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'
import type { App } from './app-type.ts'
import { type Limit, limitRate, rateLimitExceeded } from './limit-rate.ts'

/**
 * Counts a request that came to nothing and that no key answers for, by its address (of IPv6 the net). Requests that a
 * key answers for are never in its way, wherever they come from. @throws ApiError 429
 */
export type CountStranger = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export async function limitStrangers(app: App, limit: Limit): Promise<CountStranger> {
  let count: ReturnType<App['createRateLimit']> | undefined
  await app.register(async (scope: App) => {
    await limitRate(scope, limit)
    count = scope.createRateLimit({
      max: limit.max,
      keyGenerator: ({ ip }: FastifyRequest) => `stranger ${normalizeIP(ip)}`,
    })
  })
  return async (request, reply) => {
    const counted = await count?.(request)
    if (!counted || counted.isAllowed || !counted.isExceeded) return
    reply.header('retry-after', counted.ttlInSeconds)
    throw rateLimitExceeded(counted.ttl)
  }
}

type ErrorHandler = (
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply

/** Answers as `handler` does, but counts what is refused for want of a key. */
export function countingRefusals(handler: ErrorHandler, count: CountStranger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') return handler(error, request, reply)
    return count(request, reply).then(
      () => handler(error, request, reply),
      (exceeded: Error) => handler(exceeded, request, reply),
    )
  }
}
