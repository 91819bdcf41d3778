import { Type } from 'typebox'
import { CheckTrigger, GroupTrigger } from '../../../contract/resources/trigger.ts'
import { Text } from '../../../contract/schema.ts'
import { dateText, dateTextOrNull } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { createTrigger, readTrigger, removeTrigger } from './store-trigger.ts'

const tags = ['Triggers']
const ByCheck = Type.Object({ checkId: Text({ maxLength: 100 }) })
const ByGroup = Type.Object({ groupId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) })
const removed = { 204: Type.Null() }

const shared = ({ id, token, createdAt, calledAt, updatedAt }: Schema['triggers']) => ({
  id,
  token,
  created_at: dateText(createdAt),
  called_at: dateTextOrNull(calledAt),
  updated_at: dateTextOrNull(updatedAt),
})
const ofCheck = (row: Schema['triggers']) => ({ ...shared(row), checkId: row.checkId ?? '' })
const ofGroup = (row: Schema['triggers']) => ({ ...shared(row), groupId: row.groupId ?? 0 })

/** The triggers of checks and of groups (service.md, Check trigger). */
export function triggerRoutes(app: App, options: OnDemandOptions): void {
  checkTriggerRoutes(app, options)
  groupTriggerRoutes(app, options)
}

function checkTriggerRoutes(app: App, options: OnDemandOptions): void {
  const path = '/v1/triggers/checks/:checkId'
  app.get(path, { schema: { tags, params: ByCheck, response: { 200: CheckTrigger } } }, async (request) =>
    ofCheck(await readTrigger(options, accountOf(request), request.params)),
  )
  app.post(
    path,
    { schema: { tags, params: ByCheck, response: { 201: CheckTrigger } } },
    async (request, reply) =>
      reply.code(201).send(ofCheck(await createTrigger(options, accountOf(request), request.params))),
  )
  app.delete(path, { schema: { tags, params: ByCheck, response: removed } }, async (request, reply) => {
    await removeTrigger(options, accountOf(request), request.params)
    return reply.code(204).send(null)
  })
}

function groupTriggerRoutes(app: App, options: OnDemandOptions): void {
  const path = '/v1/triggers/check-groups/:groupId'
  app.get(path, { schema: { tags, params: ByGroup, response: { 200: GroupTrigger } } }, async (request) =>
    ofGroup(await readTrigger(options, accountOf(request), request.params)),
  )
  app.post(
    path,
    { schema: { tags, params: ByGroup, response: { 201: GroupTrigger } } },
    async (request, reply) =>
      reply.code(201).send(ofGroup(await createTrigger(options, accountOf(request), request.params))),
  )
  app.delete(path, { schema: { tags, params: ByGroup, response: removed } }, async (request, reply) => {
    await removeTrigger(options, accountOf(request), request.params)
    return reply.code(204).send(null)
  })
}
