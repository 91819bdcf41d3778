import { Type } from 'typebox'

/** A page of a list: `limit` items from the `page`-th page on (service.md, Limits: listing limit). */
export const pageQuery = {
  limit: Type.Integer({ default: 10, minimum: 1, maximum: 100 }),
  page: Type.Integer({ default: 1, minimum: 1, maximum: 1_000_000 }),
}
