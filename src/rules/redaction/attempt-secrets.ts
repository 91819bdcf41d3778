import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { HttpEvidence } from '../../contract/checks/http-observation.ts'
import type { Variable } from '../../contract/variable.ts'
import { isSensitiveHeader, isSensitiveParameter } from '../sensitive-headers.ts'
import { fillRequest } from '../template/fill-request.ts'
import { piecesOf } from './marked-secrets.ts'
import { urlSecrets } from './scrub-url.ts'

export interface DefinedRequest {
  readonly request: ApiRequest
  readonly variables: readonly Variable[]
}

/**
 * What is told to nobody of an attempt: variables marked secret, passwords of basic auth and in URLs, the values of
 * sensitive headers and query parameters as they are defined and as they were sent, and each cookie (semantics §10).
 * Of what only a name gives away, texts that are too short or too common to be a secret are left out.
 */
export function attemptSecrets(
  { request, variables }: DefinedRequest,
  { request: sent, hops }: Pick<HttpEvidence, 'request' | 'hops'>,
): string[] {
  const marked = variables.filter(({ secret }) => secret).map(({ value }) => value)
  const defined = sensitiveParts(request)
  // What was sent may be that of the last redirect, with less in it than the first request.
  const filled = fillRequest(defined, variables, unmoved)
  const { url, headers, queryParameters, basicAuth } = filled.kind === 'filled' ? filled.request : defined
  const passwords: string[] = [basicAuth?.password ?? '']
  const guesses: string[] = basicAuth?.password === '' ? [basicAuth.username] : []
  for (const { key, value } of headers) addHeader(key, value, passwords, guesses)
  for (const [name, value] of Object.entries(sent.headers)) addHeader(name, value, passwords, guesses)
  for (const { value } of queryParameters) guesses.push(value)
  // Where a redirect led is the target's own word, and as much of it as it likes: nothing of ours is in it but what was sent.
  for (const text of new Set([url, hops[0]?.url ?? sent.url])) {
    const found = urlSecrets(text)
    passwords.push(...found.passwords)
    guesses.push(...found.values)
  }
  const pieces = request.url.includes('{{') ? marked.flatMap(piecesOf) : []
  return [...marked, ...passwords, ...guesses.filter(isSecretive), ...pieces]
}

/** What is new each time in a template is not needed again: it is in what was sent. */
const unmoved = { now: () => 0, uuid: () => '', random: () => 0 }

function sensitiveParts(request: ApiRequest): ApiRequest {
  return {
    ...request,
    headers: request.headers.filter(({ key }) => isSensitiveHeader(key.trim())),
    queryParameters: request.queryParameters.filter(({ key }) => isSensitiveParameter(key)),
    body: '',
  }
}

function addHeader(name: string, value: string, passwords: string[], guesses: string[]): void {
  if (!isSensitiveHeader(name)) return
  const [, scheme = '', credentials = ''] = /^\s*([A-Za-z][\w-]*)\s+(.+)$/s.exec(value) ?? []
  guesses.push(value, credentials)
  if (name.trim().toLowerCase() === 'cookie') guesses.push(...cookieValues(value))
  if (scheme.toLowerCase() !== 'basic') return
  const { user, password } = decodeBasic(credentials)
  passwords.push(password)
  // Where there is no password, the user's name is the key.
  if (password === '') guesses.push(user)
}

function cookieValues(header: string): string[] {
  return header.split(';').map((cookie) => {
    const value = cookie.slice(cookie.indexOf('=') + 1).trim()
    return value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
  })
}

function decodeBasic(credentials: string): { readonly user: string; readonly password: string } {
  try {
    const bytes = Uint8Array.from(atob(credentials), (character) => character.charCodeAt(0))
    const text = new TextDecoder().decode(bytes)
    const colon = text.indexOf(':')
    return colon < 0
      ? { user: text, password: '' }
      : { user: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return { user: '', password: '' }
  }
}

const minGuessLength = 4
const common = /^(true|false|null|none|undefined)$/i

function isSecretive(text: string): boolean {
  const value = text.trim()
  return value.length >= minGuessLength && !common.test(value)
}
