import type { Pieces, Tag } from './cut-tags.ts'

/** A block's tag or a comment that has a line for itself takes that line with it, and `~` all blanks: as the engine does. */
export function trimContents({ contents, tags }: Pieces): string[] {
  const trimmed = [...contents]
  const alone = tags.map((tag, index) => standsAlone(tag, index, contents))
  tags.forEach((tag, index) => {
    const before = trimmed[index] ?? ''
    const after = trimmed[index + 1] ?? ''
    if (tag.trimsBefore) trimmed[index] = before.trimEnd()
    else if (alone[index]) trimmed[index] = withoutIndent(before)
    if (tag.trimsAfter) trimmed[index + 1] = after.trimStart()
    else if (alone[index]) trimmed[index + 1] = after.replace(/^[ \t]*\r?\n?/, '')
  })
  return trimmed
}

function standsAlone({ kind }: Tag, index: number, contents: readonly string[]): boolean {
  if (kind === 'insert') return false
  const before = contents[index] ?? ''
  const after = contents[index + 1] ?? ''
  return endsLine(before, index === 0) && beginsLine(after, index + 2 === contents.length)
}

/** Only blanks since the last line break, or since the start of the template. */
function endsLine(before: string, first: boolean): boolean {
  const blanks = before.slice(before.trimEnd().length)
  return blanks.includes('\n') || (first && blanks.length === before.length)
}

function beginsLine(after: string, last: boolean): boolean {
  const blanks = after.slice(0, after.length - after.trimStart().length)
  return blanks.includes('\n') || (last && blanks.length === after.length)
}

function withoutIndent(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1
  return text.slice(0, end)
}
