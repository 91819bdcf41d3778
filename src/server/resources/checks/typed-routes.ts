import { Type } from 'typebox'
import { checkSchemas } from '../../../contract/check-schemas.ts'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import { AutoAssignAlertsQuery, checkResources } from '../../../contract/resources/check.ts'
import { Text } from '../../../contract/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { typedCheck } from './read-check.ts'
import { isScripted, scriptedBodyBytes } from './scripted-types.ts'
import { sendChecks } from './serialize-checks.ts'
import { type CheckOptions, createCheck, replaceCheck } from './store-check.ts'
import { type Sources, toResource } from './to-resource.ts'

/** The types that have operations of their own, by the last part of their path, and where they stand in the documentation. */
const paths = {
  api: { type: 'API', tags: ['Checks'] },
  browser: { type: 'BROWSER', tags: ['Checks'] },
  dns: { type: 'DNS', tags: ['Monitors'] },
  heartbeat: { type: 'HEARTBEAT', tags: ['Heartbeats'] },
  icmp: { type: 'ICMP', tags: ['Monitors'] },
  multistep: { type: 'MULTI_STEP', tags: ['Checks'] },
  tcp: { type: 'TCP', tags: ['Monitors'] },
  url: { type: 'URL', tags: ['Monitors'] },
} as const satisfies Record<string, { type: CheckTypeName; tags: readonly string[] }>

const ById = Type.Object({ id: Text() })
type Query = { Querystring: { autoAssignAlerts: boolean } }

/** Creates and updates checks of one type: `/v1/checks/api`, `/v1/checks/api/:id` and their like. */
export function typedCheckRoutes(app: App, options: CheckOptions, sources: Sources): void {
  for (const [path, { type, tags }] of Object.entries(paths)) {
    const { create, update } = checkSchemas[type]
    const shared = { tags: [...tags], querystring: AutoAssignAlertsQuery }
    const limits = isScripted(type) ? { bodyLimit: scriptedBodyBytes } : {}

    app.post<Query & { Body: unknown }>(
      `/v1/checks/${path}`,
      { ...limits, schema: { ...shared, body: create, response: { 201: checkResources[type] } } },
      async (request, reply) => {
        const { autoAssignAlerts: autoAssign } = request.query
        const row = await createCheck(options, accountOf(request), typedCheck(type, request.body), {
          autoAssign,
        })
        return sendChecks(reply, await toResource(sources, row), 201)
      },
    )

    app.put<Query & { Body: unknown; Params: { id: string } }>(
      `/v1/checks/${path}/:id`,
      {
        ...limits,
        schema: { ...shared, params: ById, body: update, response: { 200: checkResources[type] } },
      },
      async (request, reply) => {
        const { autoAssignAlerts: autoAssign } = request.query
        const body = () => request.body
        const row = await replaceCheck(options, accountOf(request), request.params.id, {
          type,
          body,
          autoAssign,
        })
        return sendChecks(reply, await toResource(sources, row))
      },
    )
  }
}
