/** Longer ones are no key of ours, and comparing them takes time. */
const maxCharacters = 60

/** Of the characters of the shorter key. */
const maxSlips = 0.4
const minPartCharacters = 4

/** The key that was meant, if one is like it: in other letters or separators, a part of it, or with a slip or two. */
export function nearestKey(key: string, known: readonly string[]): string | null {
  if (key.length > maxCharacters) return null
  const [nearest] = known
    .map((candidate) => ({ candidate, unlikeness: unlikeness(plainOf(key), plainOf(candidate)) }))
    .filter((each) => each.unlikeness <= maxSlips)
    .toSorted((a, b) => a.unlikeness - b.unlikeness)
  return nearest?.candidate ?? null
}

/** 0 for the same key, and more the less alike they are. */
function unlikeness(key: string, candidate: string): number {
  const shorter = Math.min(key.length, candidate.length)
  const isPart = key.length >= minPartCharacters && candidate.includes(key)
  const slips = slipsBetween(key, candidate) / Math.max(1, shorter)
  return isPart ? Math.min(maxSlips, slips) : slips
}

const plainOf = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Characters to add, leave out or change to make one of the other (Levenshtein). */
function slipsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1]
    for (let column = 1; column < row.length; column += 1) {
      const [above = 0, diagonal = 0, left = 0] = [row[column], row[column - 1], next[column - 1]]
      const changed = diagonal + (other[column - 1] === character ? 0 : 1)
      next.push(Math.min(changed, above + 1, left + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
