import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyContextConfig } from 'fastify'
import { ErrorBody } from '../../contract/errors.ts'
import type { App } from '../http/app-type.ts'
import { accountHeader, completeOperation, sharedResponses } from './describe-operation.ts'
import { hoistSchemas } from './hoist-schemas.ts'
import { operationId, summaryOf } from './operation-names.ts'

/** Who may call the routes of a scope: whoever has a key of an account or of a location, or anybody. */
export type Access = 'account' | 'location' | 'public'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
}

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transform']>
type Documents = Parameters<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>[0]
type Document = Extract<Documents, { openapiObject: unknown }>['openapiObject']

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const

/** The description says of each route of the scope who may call it. */
export function describeAccess(scope: App, access: Access): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access }
  })
}

/** Routes with a limit of their own say so (semantics §2). */
function ownLimit(rateLimit: FastifyContextConfig['rateLimit']): string {
  if (!rateLimit || typeof rateLimit.max !== 'number') return ''
  const { max, timeWindow = 60_000 } = rateLimit
  return typeof timeWindow === 'number' ? `Rate limit: ${max} requests in ${timeWindow / 1000} seconds.` : ''
}

const nameOperation: Transform = ({ schema, url, route }) => {
  const { access, rateLimit } = route.config ?? {}
  const method = [route.method].flat()[0] ?? ''
  const description = [schema?.description, ownLimit(rateLimit)].filter(Boolean).join(' ')
  return {
    url,
    schema: {
      ...schema,
      summary: schema?.summary ?? summaryOf(method, url),
      operationId: schema?.operationId ?? operationId(method, url),
      ...(description !== '' && { description }),
      ...(access === 'public' && { security: [] }),
      ...(access === 'location' && { security: [{ location: [] }] }),
    },
  }
}

function completeOperations(document: Document): void {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item?.[method]
      if (operation) completeOperation(operation, method, path)
    }
  }
}

/** The API's own description: for people at /documentation, as OpenAPI at /documentation/json. */
export async function registerDocumentation(app: App, version: string): Promise<void> {
  const bearer = { type: 'http', scheme: 'bearer' } as const
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Picket Management API',
        version,
        description:
          'Most routes take 600 requests a minute for each key, unless the operator set another number.',
      },
      components: {
        securitySchemes: {
          account: { ...bearer, description: 'a key of an account: `picket keys create`' },
          location: { ...bearer, description: 'a key of a location, for its agents' },
        },
        schemas: { Error: ErrorBody },
        responses: sharedResponses,
        parameters: { Account: accountHeader },
      },
      security: [{ account: [] }],
    },
    transform: nameOperation,
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      completeOperations(document.openapiObject)
      return hoistSchemas(document.openapiObject)
    },
  })
  await app.register(swaggerUi, { routePrefix: '/documentation', staticCSP: true })
}
