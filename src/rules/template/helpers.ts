import { dateText } from './dates.ts'
import { engine } from './engine.ts'

/** Where a template gets what is new each time: rules have neither a clock nor chance of their own. */
export interface TemplateSources {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly uuid: () => string
  /** From 0 up to 1, without 1. */
  readonly random: () => number
}

/** What the engine hands a helper as its last argument; `fn` and `inverse` only in a block. */
export interface HelperOptions {
  readonly name: string
  readonly hash: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
  readonly lookupProperty: (of: unknown, name: unknown) => unknown
  readonly fn?: (value: unknown, options?: { readonly data?: Readonly<Record<string, unknown>> }) => string
  readonly inverse?: (value: unknown) => string
}

/** The engine's own, taken as they are: they depend on their arguments only, and take no more time than these are long. */
const engineHelpers: ReadonlySet<string> = new Set([
  'if',
  'unless',
  'each',
  'with',
  'lookup',
  'and',
  'or',
  'not',
  'neither',
  'compare',
  'contains',
  'default',
  'eq',
  'gt',
  'gte',
  'lt',
  'lte',
  'is',
  'isnt',
  'has',
  'isFalsey',
  'isTruthy',
  'ifEven',
  'ifNth',
  'ifOdd',
  'unlessEq',
  'unlessGt',
  'unlessLt',
  'unlessGteq',
  'unlessLteq',
  'tagValue',
  'startsWith',
  'replace',
])

type OwnHelper = (args: readonly unknown[], sources: TemplateSources) => unknown

/** Those that read the clock or make chance in the engine, or reach beyond the values that they are given. */
const ownHelpers: ReadonlyMap<string, OwnHelper> = new Map<string, OwnHelper>([
  ['$UUID', (_args, { uuid }) => uuid()],
  ['$RANDOM_NUMBER', (_args, { random }) => Math.floor(random() * 10_001)],
  ['date', (args, { now }) => dateText(args, now())],
  ['moment', (args, { now }) => dateText(args, now())],
  ['year', ([digits], { now }) => yearText(digits, now())],
  ['split', split],
])

export function isHelper(name: string): boolean {
  return engineHelpers.has(name) || ownHelpers.has(name)
}

/** @throws Error where the helper does not take what it is given, and what `fn` and `inverse` throw */
export function callHelper(
  name: string,
  self: unknown,
  args: readonly unknown[],
  options: HelperOptions,
  sources: TemplateSources,
): unknown {
  const own = ownHelpers.get(name)
  if (own) return own(args, sources)
  const helper: unknown = engine.helpers[name]
  return typeof helper === 'function' ? Reflect.apply(helper, self, [...args, options]) : undefined
}

function yearText(digits: unknown, now: number): string {
  const year = String(new Date(now).getFullYear())
  return digits === 2 || digits === '2' ? year.slice(-2) : year
}

/** Without an index nothing, with -1 all parts, else the part at the index: as the engine's does, but of the list's own only. */
function split([text, separator, index]: readonly unknown[]): unknown {
  if (typeof text !== 'string') throw new TypeError('not a text')
  const parts = separator === undefined ? [text] : text.split(String(separator))
  if (index === -1) return parts
  const key = String(index)
  return Object.hasOwn(parts, key) ? Reflect.get(parts, key) : undefined
}
