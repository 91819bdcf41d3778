import type fc from 'fast-check'
import type { Ids } from './one-of-everything.ts'

export type Body = Readonly<Record<string, unknown>>

/** A kind of thing that is made by POST, read by GET and replaced by PUT. */
export interface ResourceKind {
  readonly name: string
  readonly create: string
  /** Of one: `/v1/snippets/{id}`, its last part the id. */
  readonly one: string
  readonly replace: string
  readonly idOf: (answer: Body) => unknown
  /** What a schema cannot say of a body: fields that name others, or that go together. */
  readonly settle: (ids: Ids) => fc.Arbitrary<Body>
  /** Behind the URL of one, for all that there is to read of it. */
  readonly query: string
  /** Fields that are sent and never told, or told as something else. */
  readonly untold: readonly string[]
  /** What an update demands that no answer tells. */
  readonly demanded: Body
}

const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `settled` goes over `generated`, field by field. */
export function over(generated: unknown, settled: unknown): unknown {
  if (!isRecord(generated) || !isRecord(settled)) return settled
  const merged = Object.entries(settled).map(([key, value]) => [key, over(generated[key], value)])
  return { ...generated, ...Object.fromEntries(merged) }
}
