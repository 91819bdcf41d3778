import { Type } from 'typebox'
import {
  ClientCertificateCreate,
  ClientCertificateResource,
} from '../../../contract/resources/client-certificate.ts'
import { Text } from '../../../contract/schema.ts'
import { findClientCertificate, listClientCertificates } from '../../../storage/client-certificates.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { type CertificateOptions, createCertificate, removeCertificate } from './store-certificate.ts'
import { toResource } from './to-resource.ts'

const tags = ['Client certificates']
const ById = Type.Object({ id: Text() })

/** Certificates that checks show to hosts that ask for one (semantics §6). */
export function clientCertificateRoutes(app: App, options: CertificateOptions): void {
  const db = options.database.kysely

  app.get(
    '/v1/client-certificates',
    { schema: { tags, response: { 200: Type.Array(ClientCertificateResource) } } },
    async (request) => (await listClientCertificates(db, accountOf(request))).map(toResource),
  )

  app.post(
    '/v1/client-certificates',
    { schema: { tags, body: ClientCertificateCreate, response: { 201: ClientCertificateResource } } },
    async (request, reply) => {
      const row = await createCertificate(options, accountOf(request), request.body)
      return reply.code(201).send(toResource(row))
    },
  )

  app.get(
    '/v1/client-certificates/:id',
    { schema: { tags, params: ById, response: { 200: ClientCertificateResource } } },
    async (request) => {
      const row = await findClientCertificate(db, accountOf(request), request.params.id)
      if (!row) throw notFound('client certificate')
      return toResource(row)
    },
  )

  app.delete(
    '/v1/client-certificates/:id',
    { schema: { tags, params: ById, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await removeCertificate(options, accountOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
