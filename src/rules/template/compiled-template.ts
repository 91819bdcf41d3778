import type { Expression } from './parse-expression.ts'
import { type Part, parseTemplate } from './parse-template.ts'
import { type Obstacle, Unfillable } from './unfillable.ts'
import { weighedCache } from './weighed-cache.ts'

type CompiledTemplate =
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle }

/** About as many bytes. */
const maxWeight = 16_000_000
/** For each part of a template and each argument in it. */
const partBytes = 200

/** The template of a text, or why it is none. Each is read once, as long as it is not among the many that were used less. */
export const compiledTemplate = weighedCache<CompiledTemplate>({
  make: compile,
  weigh: (text, compiled) => 2 * text.length + (compiled.kind === 'parts' ? bytesOf(compiled.parts) : 0),
  maxWeight,
})

function compile(text: string): CompiledTemplate {
  try {
    return { kind: 'parts', parts: parseTemplate(text) }
  } catch (error) {
    if (error instanceof Unfillable) return { kind: 'obstacle', obstacle: error.obstacle }
    throw error
  }
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((bytes, part) => bytes + partBytes + bytesWithin(part), 0)
}

function bytesWithin(part: Part): number {
  if (typeof part === 'string') return 0
  if (part.kind === 'insertion') return bytesOfExpression(part.expression)
  return bytesOfExpression(part.call) + bytesOf(part.body) + bytesOf(part.inverse)
}

function bytesOfExpression(expression: Expression): number {
  if (expression.kind === 'literal') return partBytes
  if (expression.kind === 'path') return partBytes * (1 + expression.parts.length)
  const given = [...expression.args, ...expression.named.map(([, value]) => value)]
  return given.reduce((bytes, argument) => bytes + bytesOfExpression(argument), partBytes)
}
