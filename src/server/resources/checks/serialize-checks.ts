import fastJson from 'fast-json-stringify'
import type { FastifyReply } from 'fastify'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import { type CheckResource, checkResources } from '../../../contract/resources/check.ts'
import { inputInvalid } from '../../http/api-error.ts'

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
  if (!Array.isArray(answer)) return serializeCheck(answer)
  const texts: string[] = []
  let length = 0
  for (const resource of answer) {
    const text = serializeCheck(resource)
    length += text.length
    if (length > mostCharacters) throw tooMuch()
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}

/** Checks hold scripts, and tell of webhooks with all their headers: a hundred can be more than anybody wants at once. */
const mostCharacters = 64 * 1024 * 1024

const tooMuch = () =>
  inputInvalid(
    [{ path: 'limit', text: '"limit" asks for more than 64 MiB of checks: ask for fewer at a time' }],
    'query',
  )

/** Answers with checks; a serializer of its own leaves the type of the content to be said. @throws ApiError 400 */
export function sendChecks(
  reply: FastifyReply,
  answer: CheckResource | CheckResource[],
  status = 200,
): FastifyReply {
  const text = serializeChecks(answer)
  return reply.code(status).type('application/json; charset=utf-8').send(text)
}
