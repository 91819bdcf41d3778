import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { Variable } from '../../contract/variable.ts'
import { compiledTemplate } from './compiled-template.ts'
import type { TemplateSources } from './helpers.ts'
import { type Rendering, render, type Values } from './render.ts'
import { invalid, type Obstacle, Unfillable } from './unfillable.ts'

export type Filled = { readonly kind: 'filled'; readonly request: ApiRequest } | Obstacle

/** In characters, filled in: what is sent stays as small as what may be defined without templates, about. */
const maxCharacters = { url: 16_384, value: 65_536, body: 2_097_152, request: 4_194_304 } as const
/** Of all templates of a request together; see Budget. */
const workCharacters = 16_000_000

/**
 * The request with the variables in its URL, body, header and query values and basic auth (semantics §6), in the
 * language of `@checkly/handlebars`: `{{NAME}}` is inserted escaped for HTML, `{{{NAME}}}` as it is. What a variable
 * holds is text: braces in it mean nothing. A name that is not among the variables, where it is needed, is
 * `variable-missing`; an empty value is a value. `template-invalid` says which field it is and what is wrong with it,
 * and holds no value. Of the engine there are no partials, decorators, raw blocks, blocks of a variable, block parameters
 * and `log`, and all is bounded: what is written, what is done and what comes of it. A request without templates is
 * given back as it is.
 */
export function fillRequest(
  request: ApiRequest,
  variables: readonly Variable[],
  sources: TemplateSources,
): Filled {
  if (!isTemplated(request)) return { kind: 'filled', request }
  try {
    const rendering = { values: valuesOf(variables), sources, budget: { left: workCharacters } }
    return { kind: 'filled', request: fill(request, rendering) }
  } catch (error) {
    if (error instanceof Unfillable) return error.obstacle
    throw error
  }
}

/** Why a text cannot be a template, to be read after the name of its field; null when it can. */
export function templateFault(text: string): string | null {
  const compiled = isTemplate(text) ? compiledTemplate(text) : null
  return compiled?.kind === 'obstacle' && compiled.obstacle.kind === 'template-invalid'
    ? compiled.obstacle.reason
    : null
}

const isTemplate = (text: string) => text.includes('{{')

function isTemplated({ url, body, headers, queryParameters, basicAuth }: ApiRequest): boolean {
  return (
    isTemplate(url) ||
    headers.some(({ value }) => isTemplate(value)) ||
    queryParameters.some(({ value }) => isTemplate(value)) ||
    (basicAuth != null && (isTemplate(basicAuth.username) || isTemplate(basicAuth.password))) ||
    isTemplate(body)
  )
}

function valuesOf(variables: readonly Variable[]): Values {
  const values: Record<string, string> = Object.create(null)
  for (const { key, value } of variables) values[key] = value
  return values
}

function fill(request: ApiRequest, rendering: Rendering): ApiRequest {
  let characters = 0
  const text = (field: string, template: string, max: number): string => {
    const filled = isTemplate(template) ? fillText(field, template, max, rendering) : template
    characters += filled.length
    return filled
  }
  const values = (field: string, entries: ApiRequest['headers']) =>
    entries.map((entry, index) => {
      const value = text(`${field}[${index}].value`, entry.value, maxCharacters.value)
      return { ...entry, value }
    })
  const { basicAuth } = request
  const filled = {
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
  if (characters > maxCharacters.request) {
    throw invalid(`"request" has more than ${maxCharacters.request} characters when it is filled in`)
  }
  return filled
}

function fillText(field: string, template: string, max: number, rendering: Rendering): string {
  try {
    const compiled = compiledTemplate(template)
    if (compiled.kind === 'obstacle') throw new Unfillable(compiled.obstacle)
    const text = render(compiled.parts, rendering)
    if (text.length > max) throw invalid(`has more than ${max} characters when it is filled in`)
    return text
  } catch (error) {
    if (!(error instanceof Unfillable) || error.obstacle.kind !== 'template-invalid') throw error
    throw invalid(`"request.${field}" ${error.obstacle.reason}`)
  }
}
