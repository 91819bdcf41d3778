import { type Static, Type } from 'typebox'
import { assertionOver } from '../../assertion.ts'
import { KeyValue } from '../../key-value.ts'
import { Nullable, OneOf, Text } from '../../schema.ts'
import { ipFamilies } from '../ip-families.ts'

/** semantics §1 */
const apiAssertionSources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const
const httpMethods = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS'] as const
const bodyTypes = ['NONE', 'JSON', 'FORM', 'RAW', 'GRAPHQL'] as const

export const BasicAuth = Type.Object({
  username: Type.String({ default: '', maxLength: 1024 }),
  password: Type.String({ default: '', maxLength: 65_536 }),
})

export const ApiRequest = Type.Object({
  method: OneOf(httpMethods, { default: 'GET' }),
  url: Text({ minLength: 1, maxLength: 2048 }),
  followRedirects: Type.Boolean({ default: true }),
  skipSSL: Type.Boolean({ default: false }),
  ipFamily: OneOf(ipFamilies, { default: 'IPv4' }),
  body: Type.String({ default: '', maxLength: 1_048_576 }),
  bodyType: OneOf(bodyTypes, { default: 'NONE' }),
  headers: Type.Array(KeyValue, { default: [], maxItems: 100 }),
  queryParameters: Type.Array(KeyValue, { default: [], maxItems: 100 }),
  assertions: Type.Array(assertionOver(apiAssertionSources), { default: [], maxItems: 100 }),
  basicAuth: Type.Optional(Nullable(BasicAuth)),
})
export type ApiRequest = Static<typeof ApiRequest>
