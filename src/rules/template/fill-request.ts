import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { Variable } from '../../contract/variable.ts'
import { type Filled, type FillText, fillTexts, isTemplate } from './fill-texts.ts'
import type { TemplateSources } from './helpers.ts'

/** In characters, filled in: what is sent stays as small as what may be defined without templates, about. */
const maxCharacters = { url: 16_384, value: 65_536, body: 2_097_152 } as const

/**
 * The request with the variables in its URL, body, header and query values and basic auth (semantics §6). A request
 * without templates is given back as it is.
 */
export function fillRequest(
  request: ApiRequest,
  variables: readonly Variable[],
  sources: TemplateSources,
): Filled<ApiRequest> {
  if (!isTemplated(request)) return { kind: 'filled', request }
  return fillTexts(variables, sources, (text) => fill(request, text))
}

function isTemplated({ url, body, headers, queryParameters, basicAuth }: ApiRequest): boolean {
  return (
    isTemplate(url) ||
    headers.some(({ value }) => isTemplate(value)) ||
    queryParameters.some(({ value }) => isTemplate(value)) ||
    (basicAuth != null && (isTemplate(basicAuth.username) || isTemplate(basicAuth.password))) ||
    isTemplate(body)
  )
}

function fill(request: ApiRequest, text: FillText): ApiRequest {
  const values = (field: string, entries: ApiRequest['headers']) =>
    entries.map((entry, index) => {
      const value = text(`${field}[${index}].value`, entry.value, maxCharacters.value)
      return { ...entry, value }
    })
  const { basicAuth } = request
  return {
    ...request,
    url: text('url', request.url, maxCharacters.url),
    headers: values('headers', request.headers),
    queryParameters: values('queryParameters', request.queryParameters),
    ...(basicAuth && {
      basicAuth: {
        username: text('basicAuth.username', basicAuth.username, maxCharacters.value),
        password: text('basicAuth.password', basicAuth.password, maxCharacters.value),
      },
    }),
    body: text('body', request.body, maxCharacters.body),
  }
}
