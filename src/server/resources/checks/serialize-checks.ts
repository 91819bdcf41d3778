import fastJson from 'fast-json-stringify'
import type { FastifyReply } from 'fastify'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import { type CheckResource, checkResources } from '../../../contract/resources/check.ts'

const writers = new Map<CheckTypeName, (resource: CheckResource) => string>()

/** By the schema of the check's type, which is known: a union of all types would be tried one after the other. */
function serializeCheck(resource: CheckResource): string {
  const { checkType } = resource
  let write = writers.get(checkType)
  if (!write) {
    write = fastJson(checkResources[checkType])
    writers.set(checkType, write)
  }
  return write(resource)
}

/** A list of checks, or one, as JSON: the schema of each type leaves out what it does not name. */
function serializeChecks(answer: CheckResource | CheckResource[]): string {
  return Array.isArray(answer) ? `[${answer.map(serializeCheck).join(',')}]` : serializeCheck(answer)
}

/** Answers with checks; a serializer of its own leaves the type of the content to be said. */
export function sendChecks(
  reply: FastifyReply,
  answer: CheckResource | CheckResource[],
  status = 200,
): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').serializer(serializeChecks).send(answer)
}
