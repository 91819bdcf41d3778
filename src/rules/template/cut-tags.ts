import { invalid, syntaxFault } from './unfillable.ts'

/** What stands between double braces. */
export interface Tag {
  readonly kind: 'insert' | 'open' | 'inverted' | 'else' | 'close' | 'comment'
  /** Three braces, or an ampersand: inserted without escaping. */
  readonly raw: boolean
  /** Without braces and signs. */
  readonly text: string
  /** `{{~` and `~}}` take away all blanks beside them. */
  readonly trimsBefore: boolean
  readonly trimsAfter: boolean
  /** Index in the template. */
  readonly at: number
}

/** A template taken apart: the text before the first tag, between any two, and after the last. */
export interface Pieces {
  readonly contents: string[]
  readonly tags: readonly Tag[]
}

const maxTags = 1000
/** Characters of all tags of a text together: what is outside of them is only copied. */
const maxTagCharacters = 16_384
const maxParentheses = 10

/** @throws Unfillable */
export function cutTags(text: string): Pieces {
  const contents: string[] = []
  const tags: Tag[] = []
  let content = ''
  let from = 0
  let tagCharacters = 0
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', from)) {
    const slashes = backslashes(text.slice(Math.max(from, at - 2), at))
    content += text.slice(from, slashes === 0 ? at : at - 1)
    if (slashes === 1) {
      content += '{{'
      from = at + 2
      continue
    }
    const { tag, end } = readTag(text, at)
    contents.push(content)
    tags.push(tag)
    content = ''
    from = end
    tagCharacters += end - at
    if (tags.length > maxTags) throw invalid(`has more than ${maxTags} tags`)
    if (tagCharacters > maxTagCharacters) {
      throw invalid(`has more than ${maxTagCharacters} characters in its tags`)
    }
  }
  contents.push(content + text.slice(from))
  return { contents, tags }
}

/** One makes the braces plain text; of two, one is text and the tag is a tag. */
function backslashes(before: string): 0 | 1 | 2 {
  if (!before.endsWith('\\')) return 0
  return before === '\\\\' ? 2 : 1
}

const head = /\{\{(\{\{)?(~)?(!--|!|#[>*]?|\^|\/|>|\*|\{|&|\s*else\b)?/y

const kinds: Readonly<Record<string, Tag['kind']>> = {
  '!': 'comment',
  '!--': 'comment',
  '#': 'open',
  '^': 'inverted',
  '/': 'close',
  else: 'else',
  '{': 'insert',
  '&': 'insert',
  '': 'insert',
}

function readTag(text: string, at: number): { readonly tag: Tag; readonly end: number } {
  head.lastIndex = at
  const [opening = '', fourBraces, trim, sign = ''] = head.exec(text) ?? []
  const kind = kinds[sign.trim()]
  if (fourBraces || !kind) throw syntaxFault(text, at, 'there is a raw block, partial or decorator')
  const from = at + opening.length
  const close = sign.startsWith('!') ? endOfComment(text, from, sign) : endOfTag(text, from, sign === '{')
  if (!close) throw syntaxFault(text, at, 'there is a tag without end')
  const inner = text.slice(from, close.index).trim()
  return {
    tag: {
      // Without anything else in it, a caret is an else.
      kind: kind === 'inverted' && inner === '' ? 'else' : kind,
      raw: sign === '{' || sign === '&',
      text: kind === 'comment' ? '' : inner,
      trimsBefore: trim !== undefined,
      trimsAfter: close[0].includes('~'),
      at,
    },
    end: close.index + close[0].length,
  }
}

function endOfComment(text: string, from: number, sign: string): RegExpExecArray | null {
  const end = sign === '!--' ? /--~?\}\}/g : /~?\}\}/g
  // The dashes that open it may be those that end it.
  end.lastIndex = sign === '!--' ? from - 2 : from
  return end.exec(text)
}

const closers: Readonly<Record<string, RegExp>> = { '"': /(?<!\\)"/g, "'": /(?<!\\)'/g, '[': /(?<!\\)\]/g }

/** Braces in quotes and in square brackets do not end a tag. */
function endOfTag(text: string, from: number, triple: boolean): RegExpExecArray | null {
  const token = triple ? /["'[()]|\}~?\}\}/g : /["'[()]|~?\}\}/g
  token.lastIndex = from
  let depth = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [sign] = found
    if (sign.endsWith('}')) return found
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    if (depth > maxParentheses)
      throw syntaxFault(text, from, `parentheses are nested over ${maxParentheses} deep`)
    const closer = closers[sign]
    if (!closer) continue
    closer.lastIndex = found.index + 1
    if (!closer.exec(text)) return null
    token.lastIndex = closer.lastIndex
  }
  return null
}
