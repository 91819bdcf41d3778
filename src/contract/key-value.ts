import { Type } from 'typebox'

/** A header or query parameter. */
export const KeyValue = Type.Object({
  key: Type.String({ maxLength: 1024 }),
  value: Type.String({ default: '', maxLength: 65_536 }),
  locked: Type.Boolean({ default: false }),
})
