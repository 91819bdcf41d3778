import { engine } from './engine.ts'

/** What a tag or an argument stands for. */
export type Expression = Literal | Path | Call

interface Literal {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null | undefined
}

/** A variable, or a part of what a block goes through. */
export interface Path {
  readonly kind: 'path'
  /** As it is written. */
  readonly name: string
  /** One of a block's own, as `@index`. */
  readonly data: boolean
  /** How many `../` it begins with. */
  readonly depth: number
  readonly parts: readonly string[]
}

export interface Call {
  readonly kind: 'call'
  readonly helper: string
  readonly args: readonly Expression[]
  readonly named: readonly (readonly [name: string, value: Expression])[]
}

export type IsHelper = (name: string) => boolean
type Node = hbs.AST.Node

/** The expression of a tag, by the grammar of the engine; null where it is none, or names a helper that there is not. */
export function parseExpression(text: string, isHelper: IsHelper): Path | Call | null {
  const statement = parseTag(text)
  return statement && invocation(statement, isHelper)
}

function parseTag(text: string): hbs.AST.MustacheStatement | null {
  try {
    const { body } = engine.parse(`{{ ${text} }}`)
    const [statement] = body
    return body.length === 1 && statement && isMustache(statement) ? statement : null
  } catch {
    return null
  }
}

const isMustache = (node: Node): node is hbs.AST.MustacheStatement => node.type === 'MustacheStatement'
const isSubExpression = (node: Node): node is hbs.AST.SubExpression => node.type === 'SubExpression'
const isPath = (node: Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'
const isWithValue = (
  node: Node,
): node is hbs.AST.StringLiteral | hbs.AST.NumberLiteral | hbs.AST.BooleanLiteral =>
  ['StringLiteral', 'NumberLiteral', 'BooleanLiteral'].includes(node.type)

/** A name alone is a helper where there is one, else a variable; with arguments it can only be a helper. */
function invocation(
  { path, params, hash }: hbs.AST.MustacheStatement | hbs.AST.SubExpression,
  isHelper: IsHelper,
): Path | Call | null {
  const called = calledPath(path)
  const [name] = called.parts
  const helper = name !== undefined && isPlain(called) && isHelper(name) ? name : null
  // Without named arguments there is no hash, whatever its type says.
  const pairs = (hash as hbs.AST.Hash | undefined)?.pairs ?? []
  if (helper === null) return params.length === 0 && pairs.length === 0 ? called : null
  const args: Expression[] = []
  for (const param of params) {
    const arg = argument(param, isHelper)
    if (!arg) return null
    args.push(arg)
  }
  const named: [string, Expression][] = []
  for (const { key, value } of pairs) {
    const arg = argument(value, isHelper)
    if (!arg) return null
    named.push([key, arg])
  }
  return { kind: 'call', helper, args, named }
}

/** One name, not of a block's data and not scoped as `this.name` or `./name`. */
function isPlain({ name, data, depth, parts }: Path): boolean {
  return parts.length === 1 && !data && depth === 0 && !/^\.|this\b/.test(name)
}

function argument(node: Node, isHelper: IsHelper): Expression | null {
  if (isSubExpression(node)) return invocation(node, isHelper)
  return isPath(node) ? pathOf(node) : literal(node)
}

function pathOf({ original: name, data, depth, parts }: hbs.AST.PathExpression): Path {
  return { kind: 'path', name, data, depth, parts }
}

function literal(node: Node): Literal {
  if (isWithValue(node)) return { kind: 'literal', value: node.value }
  return { kind: 'literal', value: node.type === 'NullLiteral' ? null : undefined }
}

/** `{{"a b"}}` and `{{12}}` are variables of these names. */
function calledPath(node: Node): Path {
  if (isPath(node)) return pathOf(node)
  const name = String(literal(node).value)
  return { kind: 'path', name, data: false, depth: 0, parts: [name] }
}
