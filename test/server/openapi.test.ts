import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageVersion } from '../../src/lib/package-version.ts'
import { openApiDocument } from '../../src/server/documentation/openapi-document.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly {
    readonly name?: string
    readonly required?: boolean
    readonly $ref?: string
  }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>>
  }
}

let service: TestService
let description: Description
let operations: [name: string, operation: Operation][]
beforeAll(async () => {
  service = await startTestService({ version: packageVersion(), rateLimitAMinute: 600 })
  description = JSON.parse(await openApiDocument(service.app))
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
})
afterAll(() => service.close())

const operation = (name: string) => operations.find(([other]) => other === name)?.[1]

test('docs/openapi.json describes the API as it is: `npm run openapi` writes it', async () => {
  const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')
  expect(JSON.stringify(JSON.parse(committed))).toBe(await openApiDocument(service.app))
})

describe('every operation', () => {
  test('has a summary, a tag, and an id that no other has', () => {
    const nameless = operations.filter(([, { summary, tags = [] }]) => !summary || tags.length === 0)
    expect(nameless.map(([name]) => name)).toEqual([])
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length)
  })

  test('names the errors that it may answer with, by who may call it and what it takes', () => {
    const statuses = (name: string) => Object.keys(operation(name)?.responses ?? {})
    expect(statuses('get /v1/snippets')).toEqual(['200', '400', '401', '403', '429'])
    expect(statuses('get /v1/snippets/{id}')).toEqual(['200', '400', '401', '403', '404', '429'])
    expect(statuses('put /v1/snippets/{id}')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '429',
    ])
    expect(statuses('get /v1/locations')).toEqual(['200', '429'])
    expect(statuses('post /agent/v1/claims')).toEqual(['200', '400', '401'])
  })

  test('refers to nothing that the document does not hold', () => {
    const text = JSON.stringify(description)
    const found = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(
      ([, kind = '', name = '']) => [kind, name],
    )
    expect(found.length).toBeGreaterThan(100)
    const components: Record<string, object> = { ...description.components }
    expect(found.filter(([kind = '', name = '']) => !(name in (components[kind] ?? {})))).toEqual([])
  })
})

test('a route that needs no key says so, and the account header is named where a key is needed', () => {
  expect(operation('get /v1/locations')).toMatchObject({ security: [] })
  expect(operation('get /v1/snippets')).not.toHaveProperty('security')
  const account = { $ref: '#/components/parameters/Account' }
  expect(operation('get /v1/snippets')?.parameters).toContainEqual(account)
  expect(operation('get /v1/locations')).not.toHaveProperty('parameters')
})

test('what has a default need not be sent, in queries and in bodies', () => {
  const limit = operation('get /v1/snippets')?.parameters?.find(({ name }) => name === 'limit')
  expect(limit?.required).toBe(false)
  const { schema } = operation('post /v1/variables')?.requestBody?.content['application/json'] ?? {}
  expect(schema).toMatchObject({ required: ['key', 'value'] })
})

test('a schema that several operations share is written once, under a name', () => {
  expect(operation('get /v1/snippets/{id}')?.responses['200']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Snippet' } } },
  })
})
