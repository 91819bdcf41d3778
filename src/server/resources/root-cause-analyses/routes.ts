import { Type } from 'typebox'
import { ErrorBody } from '../../../contract/errors.ts'
import { Nullable, Text } from '../../../contract/schema.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'

const tags = ['Root cause analyses']
const ById = Type.Object({ id: Text({ maxLength: 100 }) })
const body = Nullable(
  Type.Object({ userContext: Type.Optional(Nullable(Type.String({ maxLength: 256 }))) }),
  { default: null },
)

/**
 * An analysis is written by a language model, and the service has none: it says so with the status that clients read as
 * "not available here" (402), whatever the group, and has no analysis to read.
 */
export function rootCauseAnalysisRoutes(app: App): void {
  for (const group of ['error-group', 'test-session-error-group']) {
    app.post(
      `/v1/root-cause-analyses/${group}s/:id`,
      {
        schema: {
          tags,
          summary: `Analyse a ${group}: not available in a self-hosted service`,
          params: ById,
          body,
          response: { 402: ErrorBody },
        },
      },
      () => {
        throw new ApiError('NOT_AVAILABLE', 'Root cause analyses are not available in a self-hosted service')
      },
    )
  }

  app.get(
    '/v1/root-cause-analyses/:id',
    { schema: { tags, summary: 'Read an analysis', params: ById, response: { 404: ErrorBody } } },
    () => {
      throw notFound('root cause analysis')
    },
  )
}
