import { cutTags, type Tag } from './cut-tags.ts'
import { isHelper } from './helpers.ts'
import { type Call, type Path, parseExpression } from './parse-expression.ts'
import { trimContents } from './trim-contents.ts'
import { syntaxFault } from './unfillable.ts'

/** A template in the order in which it is filled in; a text stands for itself. */
export type Part = string | Insertion | Block

interface Insertion {
  readonly kind: 'insertion'
  readonly expression: Path | Call
  readonly raw: boolean
}

export interface Block {
  readonly kind: 'block'
  readonly call: Call
  readonly body: readonly Part[]
  readonly inverse: readonly Part[]
}

interface OpenBlock {
  readonly call: Call
  readonly tag: Tag
  readonly body: Part[]
  readonly inverse: Part[]
  /** Opened by `{{else if …}}`: it ends with the block around it. */
  readonly chained: boolean
  /** Where the parts that come now belong. */
  into: Part[]
  hasElse: boolean
}

const maxDepth = 50

/** @throws Unfillable */
export function parseTemplate(text: string): readonly Part[] {
  const pieces = cutTags(text)
  const reader = new Reader(text)
  for (const [index, content] of trimContents(pieces).entries()) {
    reader.takeContent(content)
    const tag = pieces.tags[index]
    if (tag) reader.takeTag(tag)
  }
  return reader.end()
}

class Reader {
  readonly #text: string
  readonly #root: Part[] = []
  readonly #open: OpenBlock[] = []

  constructor(text: string) {
    this.#text = text
  }

  takeContent(content: string): void {
    if (content !== '') this.#add(content)
  }

  takeTag(tag: Tag): void {
    switch (tag.kind) {
      case 'comment':
        break
      case 'insert':
        this.#add({ kind: 'insertion', expression: this.#expression(tag), raw: tag.raw })
        break
      case 'open':
      case 'inverted':
        this.#begin(tag, false)
        break
      case 'else':
        this.#turn(tag)
        break
      case 'close':
        this.#close(tag)
        break
    }
  }

  end(): readonly Part[] {
    const last = this.#open.at(-1)
    if (last) throw this.#fault(last.tag, 'a block that is not closed begins')
    return this.#root
  }

  #add(part: Part): void {
    const { into } = this.#open.at(-1) ?? { into: this.#root }
    into.push(part)
  }

  #begin(tag: Tag, chained: boolean): void {
    const call = this.#expression(tag)
    if (call.kind !== 'call') throw this.#fault(tag, 'a block has no helper')
    if (this.#open.length >= maxDepth) throw this.#fault(tag, `blocks are nested over ${maxDepth} deep`)
    const body: Part[] = []
    const inverse: Part[] = []
    const into = tag.kind === 'inverted' ? inverse : body
    this.#open.push({ call, tag, body, inverse, chained, into, hasElse: false })
  }

  #turn(tag: Tag): void {
    const block = this.#open.at(-1)
    if (!block || block.hasElse) throw this.#fault(tag, 'there is an else too many')
    block.hasElse = true
    block.into = block.into === block.body ? block.inverse : block.body
    if (tag.text !== '') this.#begin(tag, true)
  }

  #close(tag: Tag): void {
    for (;;) {
      const block = this.#open.pop()
      const matches = block && (block.chained || block.call.helper === tag.text)
      if (!matches) throw this.#fault(tag, 'a block is closed that is not open')
      const { call, body, inverse, chained } = block
      this.#add({ kind: 'block', call, body, inverse })
      if (!chained) return
    }
  }

  #expression(tag: Tag): Path | Call {
    const expression = parseExpression(tag.text, isHelper)
    if (!expression) throw this.#fault(tag, 'there is a mistake or an unknown helper')
    return expression
  }

  #fault({ at }: Tag, fault: string) {
    return syntaxFault(this.#text, at, fault)
  }
}
