import fc from 'fast-check'
import { storable } from '../../src/lib/schema-node.ts'
import type { SchemaNode } from './described-operations.ts'

/** Texts that fit the patterns that fields have, where that is not any text. */
const texts: readonly (readonly [RegExp, fc.Arbitrary<string>])[] = [
  [/\\u0000/, fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll('\u0000', ''))],
  [/0-9a-fA-F\]\{8\}/, fc.uuid()],
  [/\^#/, fc.stringMatching(/^#[0-9A-Fa-f]{6}$/)],
  [/\(\?!/, fc.stringMatching(/^[a-z][a-z0-9]{1,20}$/)],
  [/@/, fc.emailAddress({ size: 'small' })],
  [/\\\+\?/, fc.stringMatching(/^\+[0-9]{3,15}$/)],
  [/A-Za-z/, fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,20}$/)],
]

const moments = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

function textOf({ pattern, format, minLength = 0, maxLength = 50 }: SchemaNode): fc.Arbitrary<string> {
  if (format === 'date-time') return moments
  const known = texts.find(([sign]) => pattern !== undefined && sign.test(pattern))?.[1]
  const any = known ?? fc.string({ unit: 'binary', maxLength: 20 })
  // What somebody means to tidy up is what a client sees as a change.
  const untidy = pattern === undefined || pattern === storable
  const text = untidy
    ? fc.oneof(
        any,
        any.map((inner) => `  ${inner}\tA `),
      )
    : any
  return text.map((one) => one.slice(0, maxLength).toWellFormed().padEnd(minLength, 'x'))
}

function listOf({
  items,
  minItems = 0,
  maxItems = 3,
  uniqueItems = false,
}: SchemaNode): fc.Arbitrary<unknown[]> {
  const item = items ? fitting(items) : fc.constant(null)
  const size = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) }
  return uniqueItems ? fc.uniqueArray(item, size) : fc.array(item, size)
}

function objectOf({ properties = {}, required = [] }: SchemaNode): fc.Arbitrary<object> {
  const members = Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, fitting(inner)]))
  return fc.record(members, { requiredKeys: [...required], noNullPrototype: true })
}

/** Values that fit the schema, often small ones. */
export function fitting(node: SchemaNode): fc.Arbitrary<unknown> {
  const { minimum = -1000, maximum = 1000 } = node
  if (node.const !== undefined) return fc.constant(node.const)
  if (node.enum) return fc.constantFrom(...node.enum)
  if (node.anyOf) return fc.oneof(...node.anyOf.map(fitting))
  if (node.properties) return objectOf(node)
  switch (node.type ?? 'anything') {
    case 'string':
      return textOf(node)
    case 'integer':
      return fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31 - 1) })
    case 'number':
      return fc.double({
        min: node.exclusiveMinimum ?? minimum,
        max: maximum,
        noNaN: true,
        minExcluded: node.exclusiveMinimum !== undefined,
      })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return listOf(node)
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}
