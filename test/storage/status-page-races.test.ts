import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/storage/database.ts'
import { forEachEngine } from '../support/databases.ts'
import {
  addService,
  cardOf,
  incidentBody,
  incidentsUrl,
  pageBody,
  pagesUrl,
  servicesUrl,
} from '../support/status-pages.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const statusesOf = (answers: readonly { statusCode: number }[]) =>
  answers.map(({ statusCode }) => statusCode).toSorted()

/** Over a database that the test closes. */
async function serviceOver(database: Database): Promise<TestService['api']> {
  const service = await startTestService({ database: { ...database, close: async () => undefined } })
  onTestFinished(() => service.close())
  return service.api
}

forEachEngine((_engine, open) => {
  test('of those who want one url at once one gets it', async () => {
    const api = await serviceOver(await open())
    const bodies = ['ours', 'OURS', 'Ours', 'ours'].map((url) => pageBody({ url }))
    const answers = await Promise.all(bodies.map((body) => api('POST', pagesUrl, body)))
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409])
  })

  test('an address that several subscribe at once is subscribed once', async () => {
    const api = await serviceOver(await open())
    const { id } = (await api('POST', pagesUrl, pageBody())).json()
    const subscriptions = ['a', 'b', 'c'].map((name) => ({ type: 'EMAIL', config: `${name}@example.org` }))
    const ask = (own: typeof subscriptions) =>
      api('POST', `${pagesUrl}/${id}/subscriptions/bulk`, { subscriptions: own })
    const answers = await Promise.all([
      ask(subscriptions),
      ask(subscriptions.toReversed()),
      ask(subscriptions),
    ])
    expect(answers.map((answer) => answer.json().created).toSorted()).toEqual([0, 0, 3])
    expect((await api('GET', `${pagesUrl}/${id}/subscriptions`)).json()).toHaveLength(3)
  })

  test('a service is either deleted or named, never both', async () => {
    const api = await serviceOver(await open())
    const services = await Promise.all(Array.from({ length: 6 }, () => addService(api)))
    await Promise.all(
      services.flatMap((shop, index) => {
        const [url, body] =
          index % 2 === 0
            ? [pagesUrl, pageBody({ cards: [cardOf('a', shop)] })]
            : [incidentsUrl, incidentBody([shop])]
        return [api('POST', url, body), api('DELETE', `${servicesUrl}/${shop.id}`)]
      }),
    )
    const pages = (await api('GET', pagesUrl)).json().entries
    const incidents = (await api('GET', incidentsUrl)).json().entries
    const left = (await api('GET', servicesUrl)).json().length
    expect(left).toBe(pages.length + incidents.length)
    for (const page of pages) expect(page.cards[0].services).toHaveLength(1)
    for (const incident of incidents) expect(incident.services).toHaveLength(1)
  })
})
