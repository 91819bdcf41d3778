import type { Variable } from '../../contract/variable.ts'
import { compiledTemplate } from './compiled-template.ts'
import type { TemplateSources } from './helpers.ts'
import { type Rendering, render, type Values } from './render.ts'
import { invalid, type Obstacle, Unfillable } from './unfillable.ts'

export type Filled<R> = { readonly kind: 'filled'; readonly request: R } | Obstacle

/** The text of a field, filled in; no longer than so many characters. */
export type FillText = (field: string, template: string, maxCharacters: number) => string

/** Of all texts of a request together, filled in. */
const maxRequestCharacters = 4_194_304
/** Of all templates of a request together; see Budget. */
const workCharacters = 16_000_000

/**
 * What `fill` makes of a request with the variables in its texts, in the language of `@checkly/handlebars`: `{{NAME}}` is
 * inserted escaped for HTML, `{{{NAME}}}` as it is. What a variable holds is text: braces in it mean nothing. A name that
 * is not among the variables, where it is needed, is `variable-missing`; an empty value is a value. `template-invalid`
 * says which field it is and what is wrong with it, and holds no value. Of the engine there are no partials, decorators,
 * raw blocks, blocks of a variable, block parameters and `log`, and all is bounded: what is written, what is done and
 * what comes of it.
 */
export function fillTexts<R>(
  variables: readonly Variable[],
  sources: TemplateSources,
  fill: (text: FillText) => R,
): Filled<R> {
  const rendering = { values: valuesOf(variables), sources, budget: { left: workCharacters } }
  let characters = 0
  const text: FillText = (field, template, maxCharacters) => {
    const filled = isTemplate(template) ? fillText(field, template, maxCharacters, rendering) : template
    characters += filled.length
    return filled
  }
  try {
    const request = fill(text)
    if (characters > maxRequestCharacters) throw tooLong
    return { kind: 'filled', request }
  } catch (error) {
    if (error instanceof Unfillable) return error.obstacle
    throw error
  }
}

const tooLong = invalid(`"request" has more than ${maxRequestCharacters} characters when it is filled in`)

export const isTemplate = (text: string) => text.includes('{{')

/** Why a text cannot be a template, to be read after the name of its field; null when it can. */
export function templateFault(text: string): string | null {
  const compiled = isTemplate(text) ? compiledTemplate(text) : null
  return compiled?.kind === 'obstacle' && compiled.obstacle.kind === 'template-invalid'
    ? compiled.obstacle.reason
    : null
}

function valuesOf(variables: readonly Variable[]): Values {
  const values: Record<string, string> = Object.create(null)
  for (const { key, value } of variables) values[key] = value
  return values
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
