import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { App } from './app-type.ts'

/** The API's own description: for people at /documentation, as OpenAPI at /documentation/json. */
export async function registerDocumentation(app: App, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Picket Management API', version },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      security: [{ bearer: [] }],
    },
  })
  await app.register(swaggerUi, { routePrefix: '/documentation', staticCSP: true })
}
