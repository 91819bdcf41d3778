const shownCharacters = 200

/** At most 200 characters: a message or a result never carries a whole body. */
export function shorten(text: string): string {
  if (text.length <= shownCharacters) return text
  // A cut through a surrogate pair would not be text any more.
  return `${text.slice(0, shownCharacters - 1).toWellFormed()}…`
}
