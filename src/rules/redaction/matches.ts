/**
 * Calls `found` for each place where the needle stands in the text. Occurrences that overlap by the needle's own
 * period are found as one, so that a long row of the same is not gone through again and again.
 */
export function eachMatch(needle: string, text: string, found: (start: number, end: number) => void): void {
  let start = text.indexOf(needle)
  if (start < 0) return
  const period = needle.length - (bordersOf(needle).at(-1) ?? 0)
  const again = needle.slice(-period)
  while (start >= 0) {
    let end = start + needle.length
    while (text.startsWith(again, end)) end += period
    found(start, end)
    start = text.indexOf(needle, end - needle.length + period)
  }
}

/** How many characters at the end of the text are the beginning of the needle and not all of it; 0 where fewer than `min`. */
export function danglingLength(needle: string, text: string, min: number): number {
  if (needle.length <= min) return 0
  const ending = text.slice(1 - needle.length)
  const from = ending.indexOf(needle.slice(0, min))
  if (from < 0) return 0
  const borders = bordersOf(needle)
  let matched = 0
  for (let index = from; index < ending.length; index += 1) {
    const unit = ending.charCodeAt(index)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === unit) matched += 1
  }
  return matched < min ? 0 : matched
}

/** Of each beginning of the text: how long the longest part is that it both begins and ends with, itself aside. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let length = 0
  for (let index = 1; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === unit) length += 1
    borders[index] = length
  }
  return borders
}
