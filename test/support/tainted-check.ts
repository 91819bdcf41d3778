import fc from 'fast-check'
import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { apiDefinition, entry } from './api-definition.ts'
import { anySecret, headerSecret } from './secret-traces.ts'

/** A secret for each place of a check that may hold one. */
export const secretPlaces = fc.record({
  path: headerSecret.map((text) => text.replace(/[#?/\\%.]/g, '-')),
  query: anySecret,
  header: headerSecret,
  password: anySecret,
  body: anySecret,
  escaped: anySecret,
  // These are no variables, and braces would make templates of them.
  token: headerSecret.map((text) => text.replaceAll('{', '-')),
  cookie: headerSecret.map((text) => text.replace(/[;"{]/g, '-')),
  parameter: anySecret.map((text) => text.replaceAll('{', '-')),
})
export type SecretPlaces = typeof secretPlaces extends fc.Arbitrary<infer T> ? T : never

const inVariables = ['path', 'query', 'header', 'password', 'body', 'escaped'] as const

/** A check with all of them, of what stands at `base`: its path is added. */
export function taintedCheck(secrets: SecretPlaces, base: string): DefinitionOf<'API'> {
  const variables = inVariables.map((key) => ({ key, value: secrets[key], locked: false, secret: true }))
  const equals = (source: 'TEXT_BODY' | 'HEADERS', property: string, target: string) =>
    ({ source, comparison: 'EQUALS', property, target, regex: null }) as const
  const again = '{{#each (split "1,2,3" "," -1)}}{{@root.body}}{{/each}}'
  const request: Partial<ApiRequest> = {
    method: 'POST',
    bodyType: 'RAW',
    body: `{"raw":"{{{body}}}","escaped":"{{escaped}}","again":"${again}"}`,
    headers: [
      entry('x-plain', 'a {{{header}}}'),
      entry('x-escaped', '{{header}}'),
      entry('x-api-key', secrets.token),
      entry('cookie', `theme=dark; id=${secrets.cookie}`),
    ],
    queryParameters: [
      entry('q', '{{{query}}}'),
      entry('e', '{{query}}'),
      entry('access_token', secrets.parameter),
    ],
    basicAuth: { username: 'user', password: '{{{password}}}' },
    assertions: [equals('TEXT_BODY', '', secrets.body), equals('HEADERS', 'x-echo', secrets.header)],
  }
  return { ...apiDefinition(`${base}/{{{path}}}`, request), variables }
}
