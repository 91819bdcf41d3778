import type { TestService } from './test-service.ts'

/** The same service as whoever has this key sees it. */
export function accountView(
  service: TestService,
  { accountId, apiKey }: { readonly accountId: string; readonly apiKey: string },
): TestService {
  const headers = { authorization: `Bearer ${apiKey}` }
  return {
    ...service,
    accountId,
    apiKey,
    api: (method = 'GET', url, payload) =>
      service.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) }),
  }
}
