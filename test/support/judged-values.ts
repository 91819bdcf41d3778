import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { checkTypes } from '../../src/contract/check-types.ts'
import { Outcome, type OutcomeOf } from '../../src/contract/outcome.ts'
import { CheckDefinition, type DefinitionOf } from '../../src/contract/run.ts'
import { validator } from '../../src/lib/validate.ts'
import { apiDefinition } from './api-definition.ts'
import type { SchemaNode } from './described-operations.ts'
import { fitting } from './schema-values.ts'

/** The types without scripts and headers. */
export const uptimeTypes = ['URL', 'TCP', 'DNS', 'ICMP'] as const
export type UptimeType = (typeof uptimeTypes)[number]

/** TypeBox writes JSON Schema. Of a record with any names it is an object with one. */
function nodeOf(schema: TSchema): SchemaNode {
  return JSON.parse(JSON.stringify(schema), (_, node) => {
    if (!node?.patternProperties) return node
    const [inner] = Object.values(node.patternProperties)
    return { type: 'object', properties: { 'x-a': inner } }
  })
}

const isDefinition = validator(CheckDefinition)
const isOutcome = validator(Outcome)
const limitMs = fc.option(fc.oneof(fc.constant(0), fc.integer({ max: 30_000, min: 0 })))

function valid<T>(checked: { readonly kind: 'valid'; readonly value: T } | { readonly kind: 'invalid' }): T {
  if (checked.kind === 'valid') return checked.value
  throw new Error(`no value of its schema: ${JSON.stringify(checked)}`)
}

/** Checks of one type whose request and settings are any that their schemas allow. */
export function definitions<T extends UptimeType>(type: T): fc.Arbitrary<DefinitionOf<T>> {
  const { request, settings } = checkTypes[type]
  const arbitrary = fc.record({
    request: fitting(nodeOf(request)),
    settings: fitting(nodeOf(settings)),
    shouldFail: fc.boolean(),
    degradedResponseTimeMs: limitMs,
    maxResponseTimeMs: limitMs,
  })
  return arbitrary.map((fields) => {
    const definition = valid(isDefinition({ ...apiDefinition('http://unused.test'), ...fields, type }))
    return ofType<DefinitionOf<T>>(type, definition)
  })
}

/** Outcomes of one type that are any that their schemas allow. */
export function outcomes<T extends UptimeType>(type: T): fc.Arbitrary<OutcomeOf<T>> {
  const own = nodeOf(Outcome).anyOf?.filter(({ properties }) => properties?.['type']?.const === type) ?? []
  return fc.oneof(...own.map(fitting)).map((outcome) => ofType<OutcomeOf<T>>(type, valid(isOutcome(outcome))))
}

/** @throws Error when it is of another type: then `V` would be wrong */
function ofType<V extends { readonly type: string }>(type: V['type'], value: { readonly type: string }): V {
  if (!isOf<V>(type, value)) throw new Error(`is a ${value.type}`)
  return value
}

const isOf = <V extends { readonly type: string }>(
  type: V['type'],
  value: { readonly type: string },
): value is V => value.type === type

/** Without assertions and response times; the rest as it is. */
export function bare<T extends UptimeType>(
  definition: DefinitionOf<T>,
  shouldFail: boolean,
): DefinitionOf<T> {
  const copy = structuredClone(definition)
  copy.request.assertions = []
  copy.degradedResponseTimeMs = null
  copy.maxResponseTimeMs = null
  copy.shouldFail = shouldFail
  return copy
}
