import type { Variable } from '../../contract/variable.ts'

/** What the variables that are marked secret hold, and the pieces of it that stand alone where a name or an address is cut. */
export function markedSecrets(variables: readonly Variable[]): string[] {
  const marked = variables.filter(({ secret }) => secret).map(({ value }) => value)
  return [...marked, ...marked.flatMap(piecesOf)]
}

const minPieceLength = 4

/** What stands in an address is cut at its delimiters, and what is cut may be sent, answered and told as a part of its own. */
export function piecesOf(secret: string): string[] {
  const pieces = secret.split(/[^\p{L}\p{N}_~-]+/u)
  return pieces.length < 2 ? [] : pieces.filter((piece) => piece.length >= minPieceLength)
}
