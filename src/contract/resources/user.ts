import { type Static, Type } from 'typebox'

/** Whom a key belongs to: a person, or for a service key the service that it was made for. */
export const User = Type.Object({ id: Type.String(), name: Type.String() })
export type User = Static<typeof User>
