import { AppError } from './app-error.ts'
import type { Fault } from './find-faults.ts'

/** How one environment variable is read. `parse` returns the value or a sentence of what is allowed. */
export interface Setting<T> {
  readonly description: string
  /** As shown in tables; null where the setting is required or has no preset. */
  readonly presetText: string | null
  readonly required: boolean
  readonly parse: (text: string) => { readonly value: T } | { readonly allowed: string }
  readonly preset: T | undefined
  /** The value never appears in a fault's text. */
  readonly secret: boolean
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
export type SettingsOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never
}

/** The process cannot start with these settings: every fault is named. */
export class SettingsError extends AppError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(
      'SETTINGS_INVALID',
      ['These settings cannot be used:', ...faults.map(({ text }) => `  ${text}`)].join('\n'),
      {
        fatal: true,
      },
    )
    this.faults = faults
  }
}

/** Reads all settings at once. An empty variable counts as not set. @throws SettingsError naming every fault. */
export function readSettings<S extends Settings>(
  settings: S,
  env: Readonly<Record<string, string | undefined>>,
): SettingsOf<S> {
  const faults: Fault[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const text = env[name]?.trim()
    if (text === undefined || text === '') {
      if (setting.required) faults.push({ path: name, text: `${name} is required: ${setting.description}` })
      values[name] = setting.preset
      continue
    }
    const parsed = setting.parse(text)
    if ('value' in parsed) values[name] = parsed.value
    else faults.push({ path: name, text: faultText(name, setting, text, parsed.allowed) })
  }
  if (faults.length > 0) throw new SettingsError(faults)
  // Every key of S was given the value of its own parser or preset just above.
  return values as SettingsOf<S>
}

function faultText(name: string, setting: Setting<unknown>, text: string, allowed: string): string {
  return setting.secret
    ? `${name} must be ${allowed}`
    : `${name} must be ${allowed}, was ${JSON.stringify(text)}`
}

interface SettingOptions<T> {
  readonly preset?: T
  readonly presetText?: string
  readonly required?: boolean
  readonly secret?: boolean
}

/** A setting with its own reading. */
export function setting<T, P extends T | undefined = undefined>(
  description: string,
  parse: Setting<T>['parse'],
  options: SettingOptions<T> & { readonly preset?: P } = {},
): Setting<P extends undefined ? T | undefined : T> {
  const { preset, presetText, required = false, secret = false } = options
  const shown = presetText ?? (preset === undefined ? null : String(preset))
  return { description, parse, preset, presetText: shown, required, secret }
}

/** A whole number from `min` to `max`. */
export function integer(
  description: string,
  range: { min: number; max: number },
  preset: number,
): Setting<number> {
  const { min, max } = range
  return setting<number, number>(
    description,
    (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? { value } : { allowed: `a whole number from ${min} to ${max}` }
    },
    { preset },
  )
}

/** A TCP port to listen on; 0 takes any free one. */
export function port(description: string, preset: number): Setting<number> {
  return integer(description, { min: 0, max: 65_535 }, preset)
}

/** One word of a closed set, in any case of letters; returned as it stands in the set. */
export function choice<const T extends readonly string[]>(
  description: string,
  values: T,
  preset: T[number],
): Setting<T[number]> {
  return setting<T[number], T[number]>(
    description,
    (text) => {
      const value = values.find((candidate) => candidate.toLowerCase() === text.toLowerCase())
      return value === undefined ? { allowed: `one of ${values.join(', ')}` } : { value }
    },
    { preset },
  )
}

/** An absolute URL with one of `protocols` (`http:`, …). */
export function urlParser(protocols: readonly string[]): Setting<URL>['parse'] {
  return (text) => {
    const value = URL.parse(text)
    return value && protocols.includes(value.protocol)
      ? { value }
      : { allowed: `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}` }
  }
}

export const text: Setting<string>['parse'] = (value) => ({ value })
