import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { apiDefinition } from './api-definition.ts'

/** The URL check that asks the same; null where an API check is needed for it. */
export function urlDefinition(url: string, request: Partial<ApiRequest> = {}): DefinitionOf<'URL'> | null {
  const { followRedirects = true, skipSSL = false, ipFamily = 'IPv4', ...others } = request
  if (Object.keys(others).length > 0) return null
  const asked = { method: 'GET', url, followRedirects, skipSSL, ipFamily, assertions: [] } as const
  return { ...apiDefinition(url), type: 'URL', request: { ...asked, assertions: [] } }
}
