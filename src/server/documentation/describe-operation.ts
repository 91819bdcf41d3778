/** What is read and completed of an operation in an OpenAPI document. */
interface Operation {
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly responses?: object
  readonly security?: readonly object[]
}

const errors = {
  400: ['BadRequest', 'The input is not what the operation takes; `validation.keys` names the fields'],
  401: ['Unauthorized', 'The key is missing, revoked or unknown'],
  403: ['Forbidden', 'The account header names an account that the key does not open'],
  404: ['NotFound', 'There is no such thing in this account'],
  409: ['Conflict', 'It clashes with what is there; the message says what to do first'],
  413: ['PayloadTooLarge', 'The body, or what it would make of a resource, is too large'],
  429: ['TooManyRequests', 'Too many requests: wait as long as `Retry-After` says'],
} as const
type ErrorStatus = keyof typeof errors

const successes: Readonly<Record<string, string>> = {
  200: 'Successful',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
}
/** What the library writes where a response has no description. */
const noDescription = 'Default Response'

const retryAfter = { 'Retry-After': { description: 'in seconds', schema: { type: 'integer' } } } as const

/** The answers that many operations share, for `components.responses`. */
export const sharedResponses = Object.fromEntries(
  Object.values(errors).map(([name, description]) => [
    name,
    {
      description,
      ...(name === 'TooManyRequests' && { headers: retryAfter }),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
)

/** For `components.parameters`. */
export const accountHeader = {
  name: 'x-service-account',
  in: 'header',
  required: false,
  description: 'id of the account; that of the key where it is left out. `x-checkly-account` is read alike',
  schema: { type: 'string' },
} as const

function errorsOf({ parameters = [], requestBody, security }: Operation, method: string, path: string) {
  const ofAccount = security === undefined
  const isPublic = security?.length === 0
  const may: Readonly<Record<ErrorStatus, boolean>> = {
    400: parameters.length > 0 || requestBody !== undefined,
    401: !isPublic,
    403: ofAccount,
    404: path.includes('{'),
    409: ofAccount && method !== 'get',
    413: ofAccount && requestBody !== undefined,
    429: ofAccount || isPublic,
  }
  return Object.entries(errors).filter(([status]) => may[Number(status) as ErrorStatus])
}

function describedResponse(status: string, response: object): object {
  const isPlain = 'description' in response && response.description === noDescription
  return isPlain ? { ...response, description: successes[status] ?? 'Answer' } : response
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const hasDefault = (schema: unknown) => isRecord(schema) && schema['default'] !== undefined

/** What has a default may be left out of an input, though it is always there once the input was read. */
function withoutDefaulted(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDefaulted)
  if (!isRecord(node)) return node
  const { required, ...rest } = node
  const copy = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutDefaulted(item)]))
  if (!Array.isArray(required)) return required === undefined ? copy : { ...copy, required }
  const { properties } = node
  const needed = required.filter((name) => !(isRecord(properties) && hasDefault(properties[String(name)])))
  return needed.length > 0 ? { ...copy, required: needed } : copy
}

function inputParameter(parameter: object): object {
  return 'schema' in parameter && hasDefault(parameter.schema) ? { ...parameter, required: false } : parameter
}

/** Adds what operations of a kind have in common; what the operation says of itself stands. */
export function completeOperation(operation: Operation, method: string, path: string): void {
  const own = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    describedResponse(status, response),
  ])
  const shared = errorsOf(operation, method, path).map(([status, [name]]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ])
  const header = operation.security === undefined ? [{ $ref: '#/components/parameters/Account' }] : []
  const parameters = [...(operation.parameters ?? []).map(inputParameter), ...header]
  Object.assign(operation, {
    responses: Object.fromEntries([...shared, ...own]),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.requestBody && { requestBody: withoutDefaulted(operation.requestBody) }),
  })
}
