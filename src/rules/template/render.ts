import { engine } from './engine.ts'
import { callHelper, type HelperOptions, type TemplateSources } from './helpers.ts'
import type { Call, Expression, Path } from './parse-expression.ts'
import type { Block, Part } from './parse-template.ts'
import { invalid, Unfillable } from './unfillable.ts'

/** By name, without a prototype. */
export type Values = Readonly<Record<string, string>>

/** How much more may be done, in characters that are gone through. */
interface Budget {
  left: number
}

export interface Rendering {
  readonly values: Values
  readonly sources: TemplateSources
  readonly budget: Budget
}

/** What names are looked for in. */
interface Scope {
  readonly value: unknown
  readonly parent: Scope | null
  /** `@root`, and what a block gives besides. */
  readonly data: Readonly<Record<string, unknown>>
}

/** The template filled in. @throws Unfillable */
export function render(parts: readonly Part[], rendering: Rendering): string {
  const { values } = rendering
  return new Renderer(rendering).parts(parts, { value: values, parent: null, data: { root: values } })
}

/** No variable has a longer name. */
const maxNameCharacters = 255
/** Each step counts as much as this many characters. */
const stepCharacters = 50
/** Of each character, as against copying it. */
const escapingCost = 2

class Renderer {
  readonly #rendering: Rendering

  constructor(rendering: Rendering) {
    this.#rendering = rendering
  }

  parts(parts: readonly Part[], scope: Scope): string {
    let text = ''
    for (const part of parts) text += this.#part(part, scope)
    this.#spend(text.length)
    return text
  }

  #part(part: Part, scope: Scope): string {
    if (typeof part === 'string') return part
    if (part.kind === 'block') return this.#textOf(this.#call(part.call, scope, part))
    const text = this.#textOf(this.#value(part.expression, scope))
    if (part.raw) return text
    // Before the work is done.
    this.#spend(text.length * escapingCost)
    return engine.escapeExpression(text)
  }

  #value(expression: Expression, scope: Scope): unknown {
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'path':
        return lookUp(expression, scope)
      case 'call':
        return this.#call(expression, scope, null)
    }
  }

  #call({ helper, args, named }: Call, scope: Scope, block: Block | null): unknown {
    const given = args.map((arg) => this.#value(arg, scope))
    const hash = Object.fromEntries(named.map(([name, value]) => [name, this.#value(value, scope)]))
    for (const value of [...given, ...Object.values(hash)]) this.#spend(sizeOf(value))
    const options: HelperOptions = {
      name: helper,
      hash,
      data: scope.data,
      lookupProperty: (of, key) => this.#property(of, key),
      ...(block && this.#branches(block, scope)),
    }
    try {
      const result = callHelper(helper, scope.value, given, options, this.#rendering.sources)
      this.#spend(sizeOf(result))
      return result
    } catch (error) {
      if (error instanceof Unfillable) throw error
      // The message may hold a value.
      throw invalid(`gives the helper ${helper} something that it does not take`)
    }
  }

  #property(of: unknown, key: unknown): unknown {
    const value = own(of, key)
    if (value === undefined && of === this.#rendering.values) throw missing(String(key))
    return value
  }

  #branches({ body, inverse }: Block, scope: Scope): Required<Pick<HelperOptions, 'fn' | 'inverse'>> {
    const inner = (value: unknown, data = scope.data): Scope =>
      value === scope.value ? { ...scope, data } : { value, parent: scope, data }
    return {
      fn: (value, options) => this.parts(body, inner(value, options?.data)),
      inverse: (value) => this.parts(inverse, inner(value)),
    }
  }

  #textOf(value: unknown): string {
    if (typeof value === 'string') return value
    if (value === undefined || value === null) return ''
    if (Array.isArray(value)) return value.map((element) => this.#textOf(element)).join(',')
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    throw invalid('inserts something that is not a text')
  }

  #spend(characters: number): void {
    const { budget } = this.#rendering
    budget.left -= characters + stepCharacters
    if (budget.left < 0) throw invalid('takes too much work to fill in')
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return Array.isArray(value) ? value.reduce<number>((size, element) => size + 1 + sizeOf(element), 0) : 0
}

function lookUp({ name, data, depth, parts }: Path, scope: Scope): unknown {
  let found: Scope | null | undefined = scope
  for (let level = 0; level < depth; level += 1) found = found?.parent
  let value: unknown = data ? found?.data : found?.value
  for (const part of parts) value = own(value, part)
  if (value === undefined) throw missing(name)
  return value
}

function missing(name: string): Unfillable {
  return new Unfillable({ kind: 'variable-missing', name: name.slice(0, maxNameCharacters) })
}

/** Never what something has from its prototype. */
function own(of: unknown, name: unknown): unknown {
  if (of === undefined || of === null) return undefined
  const key = String(name)
  return Object.hasOwn(Object(of), key) ? Reflect.get(Object(of), key) : undefined
}
