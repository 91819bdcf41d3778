import fastJson, { type AnySchema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

/**
 * Writes answers by the schemas of their routes, which also leaves out whatever a schema does not name. Each is compiled
 * when it is first needed: a process that serves a few routes does not wait for all of them at its start.
 */
export const lazySerializer: FastifySerializerCompiler<AnySchema> = ({ schema }) => {
  let write: ((answer: unknown) => string) | undefined
  return (answer) => {
    write ??= fastJson(schema)
    return write(answer)
  }
}
