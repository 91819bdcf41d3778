import { operationNoun, singular } from './operation-names.ts'

/** In characters of JSON: below it a reference says less than what it stands for. */
const shortest = 200

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isObjectSchema = (node: Json) => isJson(node['properties']) && node['type'] === 'object'
const pascal = (text: string) =>
  text
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

function countSchemas(value: unknown, counts: Map<string, number>): Map<string, number> {
  if (Array.isArray(value)) for (const item of value) countSchemas(item, counts)
  if (!isJson(value)) return counts
  if (isObjectSchema(value)) {
    const text = JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  for (const item of Object.values(value)) countSchemas(item, counts)
  return counts
}

/** Gives a name in `components.schemas` to every object schema that a document holds more than once. */
class Hoist {
  readonly schemas: Record<string, unknown> = {}
  readonly #counts: ReadonlyMap<string, number>
  readonly #names = new Map<string, string>()

  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = counts
  }

  /** A copy; `hint` names what is found here. */
  copy(value: unknown, hint: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.copy(item, hint))
    if (!isJson(value)) return value
    if (!isObjectSchema(value)) return this.#copyEntries(value, hint)
    const text = JSON.stringify(value)
    if (text.length < shortest || (this.#counts.get(text) ?? 0) < 2) return this.#copyEntries(value, hint)
    const name = this.#names.get(text) ?? this.#hoist(text, value, hint)
    return { $ref: `#/components/schemas/${name}` }
  }

  #hoist(text: string, schema: Json, hint: string): string {
    let name = pascal(hint)
    for (let n = 2; name in this.schemas; n += 1) name = `${pascal(hint)}${n}`
    this.#names.set(text, name)
    // Taken before the copy names what is in it.
    this.schemas[name] = null
    this.schemas[name] = this.#copyEntries(schema, hint)
    return name
  }

  #copyEntries(value: Json, hint: string): Json {
    const entries = Object.entries(value).map(([key, item]) => {
      if (key === 'properties' && isJson(item)) return [key, this.#copyProperties(item)]
      return [key, this.copy(item, key === 'items' ? singular(hint) : hint)]
    })
    return Object.fromEntries(entries)
  }

  #copyProperties(properties: Json): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, item]) => [name, this.copy(item, name)]))
  }
}

/** The same document with schemas that are alike written once: what generates clients from it makes one type of them. */
export function hoistSchemas<T extends { readonly paths?: object; readonly components?: object }>(
  document: T,
): T {
  const paths: Json = JSON.parse(JSON.stringify(document.paths ?? {}))
  const components: Json = JSON.parse(JSON.stringify(document.components ?? {}))
  const hoist = new Hoist(countSchemas(paths, new Map()))
  Object.assign(hoist.schemas, components['schemas'])
  const copied = Object.entries(paths).map(([path, item]) => {
    const noun = operationNoun(path)
    const operations = Object.entries(isJson(item) ? item : {}).map(([method, operation]) => {
      const { requestBody, ...rest } = isJson(operation) ? operation : {}
      const body = requestBody === undefined ? {} : { requestBody: hoist.copy(requestBody, `${noun} body`) }
      return [method, { ...Object(hoist.copy(rest, noun)), ...body }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return {
    ...document,
    paths: Object.fromEntries(copied),
    components: { ...components, schemas: hoist.schemas },
  }
}
