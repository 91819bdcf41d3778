import type { App } from '../http/app-type.ts'

/** Keys in one order, whatever order routes were registered in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The description of the API on one line, as it is committed in docs/openapi.json. */
export async function openApiDocument(app: App): Promise<string> {
  await app.ready()
  return JSON.stringify(sorted(app.swagger()))
}
