import { type TEnum, type TSchema, type TSchemaOptions, type TStringOptions, Type } from 'typebox'
import { storable } from '../lib/schema-node.ts'

/** T or null. */
export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** One value of a closed set. */
export function OneOf<const T extends readonly (string | number)[]>(
  values: T,
  options: TSchemaOptions = {},
): TEnum<[...T]> {
  return Type.Enum<[...T]>([...values], options)
}

/** A text that is stored or looked for as it is. One that is only a part of stored JSON is escaped there and may hold anything. */
export const Text = (options: TStringOptions = {}) => Type.String({ pattern: storable, ...options })

/** Up to the last instant of a Date. */
export const EpochMs = Type.Integer({
  minimum: 0,
  maximum: 8_640_000_000_000_000,
  description: 'epoch milliseconds',
})
export const Micros = Type.Integer({ minimum: 0, description: 'microseconds' })
export const Uuid = Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })
