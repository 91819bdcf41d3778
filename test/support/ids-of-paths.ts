import { operations, type Use } from './api-operations.ts'
import type { DescribedOperation } from './described-operations.ts'

const shapeOf = (path: string) => path.replace(/^\/next\//, '/v1/').replace(/\{[^}]+\}/g, '{}')

/** What the service has beside the operations of the contract. */
const own: Readonly<Record<string, string>> = {
  'POST /v1/check-sessions/{}/cancel': '/v1/check-sessions/:session/cancel',
  'POST /v1/test-sessions/{}/cancel': '/v1/test-sessions/:testSession/cancel',
  'GET /v1/test-sessions/{}/results/{}': '/v1/test-sessions/:testSession/results/:result',
  'GET /checks/{}/trigger/{}': '/checks/:check/trigger/:token',
  'POST /checks/{}/trigger/{}': '/checks/:check/trigger/:token',
  'GET /check-groups/{}/trigger/{}': '/check-groups/:group/trigger/:token',
  'POST /check-groups/{}/trigger/{}': '/check-groups/:group/trigger/:token',
  'GET /heartbeats/ping/{}': '/heartbeats/ping/:pingToken',
  'POST /heartbeats/ping/{}': '/heartbeats/ping/:pingToken',
  'GET /heartbeats/ping/{}/{}': '/heartbeats/ping/:pingToken/:signal',
  'POST /heartbeats/ping/{}/{}': '/heartbeats/ping/:pingToken/:signal',
}

const uses = new Map(Object.entries(operations).map(([name, use]) => [shapeOf(name), use]))

/** How the operation is used rightly; of one that is a variant of another, as that one is. */
export const useOf = ({ method, path }: DescribedOperation): Use | undefined =>
  uses.get(`${method} ${shapeOf(path)}`)

/** The URL of the operation with `:names` of ids in it; undefined when nothing is known to stand there. */
export function urlTemplateOf(operation: DescribedOperation): string | undefined {
  if (!operation.path.includes('{')) return operation.path
  const use = useOf(operation)
  const shape = shapeOf(operation.path)
  const known = use ?? [...uses].find(([name]) => name.split(' ')[1] === shape)?.[1]
  // Whose it is matters here, not whether it is over.
  const url = templateOf(operation, known)?.replace(
    /:done([A-Z])/,
    (_all, first) => `:${first.toLowerCase()}`,
  )
  return use ? url : (url?.split('?', 1)[0] ?? own[`${operation.method} ${shape}`])
}

const templateOf = ({ path }: DescribedOperation, known: Use | undefined) =>
  path.startsWith('/next/') ? known?.url.replace(/^\/v1\//, '/next/') : known?.url

/** `['group', 'check']` of `/v1/check-groups/:group/checks/:check?limit=:from` */
export const namesInPath = (template: string): string[] =>
  [...(template.split('?', 1)[0] ?? '').matchAll(/:([a-z]\w*)/gi)].map(([, name = '']) => name)

export const fillTemplate = (template: string, idOf: (name: string, index: number) => string): string => {
  let index = -1
  return template.replace(/:([a-z]\w*)/gi, (_all, name: string) => {
    index += 1
    return encodeURIComponent(idOf(name, index))
  })
}
