import type { Variable } from '../../contract/variable.ts'
import type { Fault } from '../../lib/find-faults.ts'
import { type Filled, fillTexts, isTemplate, templateFault } from './fill-texts.ts'
import type { TemplateSources } from './helpers.ts'

/** The texts of a request that may be templates, and how many characters each may have when it is filled in. */
export type TemplateFields<R> = { readonly [F in keyof R & string]?: number }

export const tcpTemplates = { hostname: 2048, data: 2_097_152 } as const
export const dnsTemplates = { query: 2048 } as const
export const icmpTemplates = { hostname: 2048 } as const

/** The request with the variables in these fields (semantics §6). One without templates is given back as it is. */
export function fillFields<R extends object>(
  request: R,
  fields: TemplateFields<R>,
  variables: readonly Variable[],
  sources: TemplateSources,
): Filled<R> {
  const templates = templatesOf(request, fields)
  if (templates.length === 0) return { kind: 'filled', request }
  return fillTexts(variables, sources, (text) => ({
    ...request,
    ...Object.fromEntries(templates.map(({ field, template, max }) => [field, text(field, template, max)])),
  }))
}

/** Templates in these fields that can never be filled in, whatever the variables are. */
export function fieldFaults<R extends object>(request: R, fields: TemplateFields<R>): Fault[] {
  return templatesOf(request, fields).flatMap(({ field, template }) => {
    const reason = templateFault(template)
    const path = `request.${field}`
    return reason === null ? [] : [{ path, text: `"${path}" ${reason}` }]
  })
}

interface Template {
  readonly field: string
  readonly template: string
  readonly max: number
}

function templatesOf<R extends object>(request: R, fields: TemplateFields<R>): Template[] {
  const maxima = new Map<string, unknown>(Object.entries(fields))
  return Object.entries(request).flatMap(([field, template]) => {
    const max = maxima.get(field)
    return typeof max === 'number' && typeof template === 'string' && isTemplate(template)
      ? [{ field, template, max }]
      : []
  })
}
