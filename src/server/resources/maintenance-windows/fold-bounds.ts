import type { FastifyRequest } from 'fastify'

/** `startsAt[gte]`, or `startsAt.gte` as some clients flatten objects. */
const bound = /^(startsAt|endsAt)(?:\[(gt|gte|lt|lte)\]|\.(gt|gte|lt|lte))$/

const fields: ReadonlySet<string> = new Set(['startsAt', 'endsAt'])

function parseObject(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The objects of a query, which is flat: from `startsAt[gte]=…`, `startsAt.gte=…` or `startsAt={"gte":…}` it makes
 * `{startsAt: {gte}}`. What is none of these stays, for the schema to judge.
 */
function foldBounds(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const folded: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(query)) {
    const [, field, inBrackets, afterDot] = bound.exec(key) ?? []
    const operator = inBrackets ?? afterDot
    if (field === undefined || operator === undefined) {
      folded[key] = fields.has(key) ? parseObject(value) : value
      continue
    }
    const others = folded[field]
    folded[field] = { ...(isRecord(others) && others), [operator]: value }
  }
  return folded
}

/** Before a query is validated. */
export async function foldQuery(request: FastifyRequest): Promise<void> {
  if (isRecord(request.query)) request.query = foldBounds(request.query)
}
