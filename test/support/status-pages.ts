import type { LightMyRequestResponse as Response } from 'fastify'
import { expect } from 'vitest'
import { contractFaults, contractIsHere } from './shared-contract.ts'
import type { TestService } from './test-service.ts'

export const pagesUrl = '/v1/status-pages'
export const servicesUrl = `${pagesUrl}/services`
export const incidentsUrl = `${pagesUrl}/incidents`

/** An id that nothing has. */
export const noId = '00000000-0000-4000-8000-000000000000'

type Api = TestService['api']

/** Requests of another account. */
export async function otherApi(service: TestService): Promise<Api> {
  const { apiKey } = await service.addAccount()
  return (method = 'GET', url, payload) =>
    service.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(payload !== undefined && { payload }),
    })
}

export async function addService(api: Api, name = 'Shop'): Promise<{ id: string; name: string }> {
  return (await api('POST', servicesUrl, { name })).json()
}

let pages = 0

/** A page with a url of its own. */
export const pageBody = (changes: object = {}) => ({
  name: 'Ours',
  url: `page-${++pages}`,
  cards: [],
  ...changes,
})

export const cardOf = (name: string, ...services: readonly { id: string }[]) => ({
  name,
  services: services.map(({ id }) => ({ id })),
})

export const incidentBody = (services: readonly { id: string }[], changes: object = {}) => ({
  name: 'Slow answers',
  severity: 'MINOR',
  services: services.map(({ id }) => ({ id, name: 'whatever', accountId: 'whatever' })),
  incidentUpdates: [{ description: 'We look into it', status: 'INVESTIGATING' }],
  ...changes,
})

/**
 * The answer has this status and the contract's shape; what it says. Instants may be whole timestamps where the contract
 * has dates: that is what its clients get.
 */
export function conforming(route: string, answer: Response, status: number, contractStatus = status) {
  const body = successful(answer, status)
  if (!contractIsHere || status === 204) return body
  const method = answer.raw.req.method ?? ''
  const faults = contractFaults(method, route, contractStatus, body)
  expect(faults.filter((fault) => !/\/(created|updated)_at /.test(fault))).toEqual([])
  return body
}

/** What an answer of this status says; nothing when it has no content. */
export function successful(answer: Response, status: number) {
  expect(answer.statusCode, answer.body).toBe(status)
  if (status !== 204) return answer.json()
  expect(answer.body).toBe('')
  return undefined
}

/** The fields that a 400 names. */
export function faultyFields(answer: Response): string[] {
  expect(answer.statusCode, answer.body).toBe(400)
  return answer.json().validation.keys
}
