import { Type } from 'typebox'
import { Runtime, runtimes } from '../../../contract/resources/runtime.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'

const tags = ['Runtimes']

export function runtimeRoutes(app: App): void {
  app.get('/v1/runtimes', { schema: { tags, response: { 200: Type.Array(Runtime) } } }, () => [...runtimes])

  app.get(
    '/v1/runtimes/:id',
    { schema: { tags, params: Type.Object({ id: Type.String() }), response: { 200: Runtime } } },
    (request) => {
      const runtime = runtimes.find(({ name }) => name === request.params.id)
      if (!runtime) throw notFound('runtime')
      return runtime
    },
  )
}
