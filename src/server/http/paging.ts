import type { FastifyReply } from 'fastify'

/** Rows to skip and to take for a page (semantics §2, lists). */
export function pageOf(query: { readonly limit: number; readonly page: number }): {
  offset: number
  limit: number
} {
  return { offset: (query.page - 1) * query.limit, limit: query.limit }
}

/** Says which part of the whole list an answer holds: `content-range: 0-9/11`. */
export function setContentRange(reply: FastifyReply, offset: number, count: number, total: number): void {
  const range = count === 0 ? '*' : `${offset}-${offset + count - 1}`
  reply.header('content-range', `${range}/${total}`)
}
