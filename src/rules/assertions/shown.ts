import { isObject, type Value } from './json-value.ts'

const shownCharacters = 200

/** At most 200 characters: a message or a result never carries a whole body. */
export function shorten(text: string): string {
  if (text.length <= shownCharacters) return text
  // A cut through a surrogate pair would not be text any more.
  return `${text.slice(0, shownCharacters - 1).toWellFormed()}…`
}

type Shown = Value | readonly Value[]

/** The value as JSON, at most 200 characters of it: what is not shown is not written either. */
export function shownJson(value: Shown): string {
  const shown = { text: '' }
  write(value, shown)
  return shorten(shown.text)
}

const isMany = (value: Shown): value is readonly Value[] => Array.isArray(value)

function write(value: Shown, shown: { text: string }): void {
  if (isMany(value)) {
    writeAll(value, '[', ']', shown, (element) => write(element, shown))
  } else if (isObject(value)) {
    writeAll(Object.keys(value), '{', '}', shown, (name) => {
      write(name, shown)
      shown.text += ':'
      write(value[name], shown)
    })
  } else {
    shown.text += JSON.stringify(
      typeof value === 'string' ? value.slice(0, shownCharacters + 1) : (value ?? null),
    )
  }
}

function writeAll<T>(
  parts: readonly T[],
  open: string,
  close: string,
  shown: { text: string },
  writePart: (part: T) => void,
): void {
  shown.text += open
  for (const [index, part] of parts.entries()) {
    if (shown.text.length > shownCharacters) return
    if (index > 0) shown.text += ','
    writePart(part)
  }
  shown.text += close
}
