import type { TSchema } from 'typebox'
import { checkSchemas } from '../contract/check-schemas.ts'
import type { CheckType } from '../contract/check-types.ts'
import { checkResources } from '../contract/resources/check.ts'
import type { Fault } from '../lib/find-faults.ts'
import { nearestKey } from './nearest-key.ts'

interface SchemaNode {
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, SchemaNode>>
}

function rootOf(type: CheckType): SchemaNode {
  const schema: TSchema = checkSchemas[type].create
  return schema
}

/** `path`: where it stands; `place`: the same without the indexes of lists. */
interface Where {
  readonly path: string
  readonly place: string
}

/**
 * What other clients send, and the service answers, without a meaning for a check of this type (semantics §2): what a
 * service tells of a check can be run as it is.
 */
const harmless = (type: CheckType): Readonly<Record<string, readonly string[]>> => ({
  '': [
    ...Object.keys(checkResources[type].properties),
    ...['dependencies', 'heartbeat', 'script', 'scriptPath', 'sslCheckDomain'],
  ],
  'request.assertions[]': ['edit', 'order', 'arrayIndex', 'arraySelector'],
})

const maxFaults = 20
const shownCharacters = 80
/** Known keys that are told where none is like the unknown one. */
const maxListed = 8

/**
 * Keys of a check in a file that mean nothing, each with the one that may have been meant: what a person wrote is to
 * have an effect or be named. The service itself leaves them out without a word (semantics §2).
 * @param besides keys that may have been meant where the check itself begins
 */
export function unknownKeyFaults(type: CheckType, check: unknown, besides: readonly string[]): Fault[] {
  const root = rootOf(type)
  const excused = harmless(type)
  return unknownKeys(root, check, { path: '', place: '' })
    .filter(({ place, key }) => !excused[place]?.includes(key))
    .slice(0, maxFaults)
    .map((unknown) => faultOf(root, unknown, unknown.path === '' ? besides : []))
}

function faultOf(
  root: SchemaNode,
  { path, key, known, free }: UnknownKey,
  besides: readonly string[],
): Fault {
  const near = nearestKey(key, [...free, ...besides])
  const meant = near === null ? elsewhere(root, key) : join(path, near)
  const listed = known.length <= maxListed ? `: known are ${known.join(', ')}` : ''
  const full = join(path, key)
  const shown = JSON.stringify(full.length > shownCharacters ? `${full.slice(0, shownCharacters)}…` : full)
  const advice = meant === null ? listed : `: did you mean "${meant}"?`
  return { path: full, text: `${shown} is not a known key${advice}` }
}

interface UnknownKey {
  /** Of the object that it stands in, both. */
  readonly path: string
  readonly place: string
  readonly key: string
  /** Keys that the object may have. */
  readonly known: readonly string[]
  /** Those of them that it has not. */
  readonly free: readonly string[]
}

function unknownKeys(node: SchemaNode, value: unknown, where: Where): UnknownKey[] {
  if (node.anyOf) return node.anyOf.flatMap((member) => unknownKeys(member, value, where))
  const { items, maxItems, properties } = node
  if (items && Array.isArray(value)) {
    return value
      .slice(0, maxItems)
      .flatMap((item: unknown, index) =>
        unknownKeys(items, item, { path: `${where.path}[${index}]`, place: `${where.place}[]` }),
      )
  }
  return properties && isRecord(value) ? unknownKeysOf(properties, value, where) : []
}

function unknownKeysOf(
  properties: Readonly<Record<string, SchemaNode>>,
  value: Readonly<Record<string, unknown>>,
  { path, place }: Where,
): UnknownKey[] {
  const known = Object.keys(properties)
  const free = known.filter((key) => !Object.hasOwn(value, key))
  return Object.entries(value).flatMap(([key, held]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (property) return unknownKeys(property, held, { path: join(path, key), place: join(place, key) })
    return [{ path, place, key, known, free }]
  })
}

/** The places of all keys that stand in no list. */
function placesOf(node: SchemaNode, place: string): string[] {
  const within = (node.anyOf ?? []).flatMap((member) => placesOf(member, place))
  const own = Object.entries(node.properties ?? {}).flatMap(([key, property]) => {
    const full = join(place, key)
    return [full, ...placesOf(property, full)]
  })
  return [...within, ...own]
}

const nameOf = (place: string) => place.slice(place.lastIndexOf('.') + 1)

/** Where a key that is like this one has a meaning; null where there is no such place, or several. */
function elsewhere(root: SchemaNode, key: string): string | null {
  const places = placesOf(root, '')
  const name = nearestKey(key, places.map(nameOf))
  const [place, ...others] = places.filter((candidate) => nameOf(candidate) === name)
  return others.length === 0 ? (place ?? null) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)
