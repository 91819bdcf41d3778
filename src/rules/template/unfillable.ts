/** Why a template cannot be filled in. `reason` is to be read after the name of its field. */
export type Obstacle =
  | { readonly kind: 'variable-missing'; readonly name: string }
  | { readonly kind: 'template-invalid'; readonly reason: string }

/** Ends the reading or filling in of a template. It is thrown through the helpers of the engine and never leaves this folder. */
export class Unfillable extends Error {
  readonly obstacle: Obstacle

  constructor(obstacle: Obstacle) {
    super(obstacle.kind)
    this.obstacle = obstacle
  }
}

export function invalid(reason: string): Unfillable {
  return new Unfillable({ kind: 'template-invalid', reason })
}

/** @param at index in the text; a line is found faster by a person. */
export function syntaxFault(text: string, at: number, fault: string): Unfillable {
  const line = text.slice(0, at).split('\n').length
  return invalid(`is not a valid template: ${fault} in line ${line}`)
}
