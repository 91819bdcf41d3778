import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'

/** An API check of one request, everything not named at its default. */
export function apiDefinition(url: string, request: Partial<ApiRequest> = {}): DefinitionOf<'API'> {
  return {
    checkId: '11111111-1111-4111-8111-111111111111',
    version: 1,
    name: 'a check',
    shouldFail: false,
    degradedResponseTimeMs: null,
    maxResponseTimeMs: null,
    retryStrategy: null,
    doubleCheck: false,
    retriesElsewhere: false,
    variables: [],
    clientCertificates: [],
    type: 'API',
    request: apiRequest(url, request),
    settings: {},
  }
}

export function apiRequest(url: string, request: Partial<ApiRequest> = {}): ApiRequest {
  return {
    method: 'GET',
    url,
    followRedirects: true,
    skipSSL: false,
    ipFamily: 'IPv4',
    body: '',
    bodyType: 'NONE',
    headers: [],
    queryParameters: [],
    assertions: [],
    ...request,
  }
}

/** One header or query parameter. */
export const entry = (key: string, value: string) => ({ key, value, locked: false })
