import { type TEnum, type TSchema, type TSchemaOptions, Type } from 'typebox'

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

export const EpochMs = Type.Integer({ minimum: 0, description: 'epoch milliseconds' })
export const Micros = Type.Integer({ minimum: 0, description: 'microseconds' })
export const Uuid = Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })
