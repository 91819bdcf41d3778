import { type TSchema, Type } from 'typebox'
import { Nullable } from './schema.ts'

/** Part of a list that is read from cursor to cursor (semantics §2, lists); `nextId` is that of the answer before. */
export const cursorQuery = {
  limit: Type.Integer({ default: 20, minimum: 1, maximum: 100 }),
  nextId: Type.Optional(Type.String({ maxLength: 200 })),
}

/** `length` is that of the entries here; `nextId` is null when nothing is behind them. */
export const CursorList = <T extends TSchema>(entry: T) =>
  Type.Object({
    length: Type.Integer(),
    entries: Type.Array(entry),
    nextId: Nullable(Type.String()),
  })
