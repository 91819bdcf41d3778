import { type Static, Type } from 'typebox'
import { Nullable, OneOf } from './schema.ts'

/** All comparisons (semantics §1). */
const comparisons = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const
export type Comparison = (typeof comparisons)[number]

/** An assertion over one of `sources` by one of `allowed` comparisons; each check type has its own sets. */
export const assertionOf = <const S extends readonly string[], const C extends readonly Comparison[]>(
  sources: S,
  allowed: C,
) =>
  Type.Object({
    source: OneOf(sources),
    comparison: OneOf(allowed),
    property: Type.String({ default: '', maxLength: 4096 }),
    target: Type.String({ default: '', maxLength: 65_536 }),
    regex: Nullable(Type.String({ maxLength: 4096 }), { default: null }),
  })

/** An assertion over one of `sources` by any comparison. */
export const assertionOver = <const S extends readonly string[]>(sources: S) =>
  assertionOf(sources, comparisons)

/** What became of one assertion. `actual` is what was compared, as text; null when there was nothing to compare. */
export const AssertionResult = Type.Object({
  source: Type.String(),
  comparison: OneOf(comparisons),
  property: Type.String(),
  target: Type.String(),
  regex: Nullable(Type.String()),
  actual: Nullable(Type.String()),
  holds: Type.Boolean(),
  message: Nullable(
    Type.String({ description: 'why it does not hold, in one sentence; null when it holds' }),
  ),
})
export type AssertionResult = Static<typeof AssertionResult>
