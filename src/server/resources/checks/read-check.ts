import { checkSchemas, type TypedCheck } from '../../../contract/check-schemas.ts'
import { type CheckTypeName, checkTypeNames } from '../../../contract/check-types.ts'
import { type Validated, validator } from '../../../lib/validate.ts'
import { inputInvalid } from '../../http/api-error.ts'

type Reader = (input: unknown) => Validated<object>

const readers = new Map<CheckTypeName, { readonly create: Reader; readonly update: Reader }>(
  checkTypeNames.map((type) => {
    const { create, update } = checkSchemas[type]
    return [type, { create: validator(create), update: validator(update) }]
  }),
)

function read(operation: 'create' | 'update', type: CheckTypeName, body: unknown): object {
  const result = readers.get(type)?.[operation](body)
  if (!result) throw new Error(`no schema of ${type}`)
  if (result.kind === 'invalid') throw inputInvalid(result.faults)
  return result.value
}

/** What was read by the schema of this very type. */
export const typedCheck = (type: CheckTypeName, check: unknown): TypedCheck => ({ type, check }) as TypedCheck

/** The body of a create operation. @throws ApiError 400 naming every fault */
export const readCheck = (type: CheckTypeName, body: unknown): TypedCheck =>
  typedCheck(type, read('create', type, body))

/** The body of an update operation. @throws ApiError 400 naming every fault */
export function readCheckUpdate(type: CheckTypeName, body: unknown): object {
  return read('update', type, body)
}
