import handlebars from '@checkly/handlebars'

/**
 * Handlebars with the helpers that existing checks use (semantics §6). Of it we take the grammar of a tag, the helpers
 * that are pure, and the escaping. Its own reading of whole texts takes time quadratic in blanks and nesting, and its
 * compiler makes code of what users write: neither is for texts of strangers in our process.
 */
export const engine = handlebars.create()
