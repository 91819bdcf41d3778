import { afterAll, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { operations } from '../support/api-operations.ts'
import { bareChecks } from '../support/check-bodies.ts'
import { fillTemplate, urlTemplateOf, useOf } from '../support/ids-of-paths.ts'
import type { Ids } from '../support/one-of-everything.ts'
import { allRows } from '../support/table-rows.ts'
import { idOf, marksIn, startTwoAccounts, theirNumber } from '../support/two-accounts.ts'

const { ours, ourIds, theirIds, all, theirMarks } = await startTwoAccounts()
afterAll(() => ours.close())

describe('an id of another account in a body', () => {
  /** The names of the ids that a body is made of. */
  function namesIn(body: (ids: Ids) => object): string[] {
    const asked = new Set<string>()
    const get = (_ids: Ids, name: string | symbol) => {
      asked.add(String(name))
      return '1'
    }
    body(new Proxy<Ids>({}, { get }))
    asked.delete('account')
    return [...asked]
  }

  const bodies = Object.entries(operations).filter(([, { body }]) => body && namesIn(body).length > 0)

  test.each(bodies)('is refused like one that does not exist, and changes nothing: %s', async (name, use) => {
    const operation = all.find((known) => useOf(known) === use)
    if (!operation || !use.body) return expect.fail(`the service has no ${name}`)
    const url = fillTemplate(urlTemplateOf(operation) ?? '', (id) => idOf(ourIds, id))
    for (const id of namesIn(use.body)) {
      const before = await allRows(ours.database)
      const sent = use.body({ ...ourIds, [id]: idOf(theirIds, id) })
      const answer = await ours.api(operation.method, url, sent)
      if (answer.statusCode === 200) expect([id, answer.json()]).toEqual([id, []])
      else
        expect([id, answer.statusCode, answer.body]).toEqual([id, expect.toBeOneOf([400, 404]), answer.body])
      expect(marksIn(theirMarks, answer.body, JSON.stringify(sent))).toEqual([])
      expect(await allRows(ours.database)).toEqual(before)
    }
  })

  const checkPaths = {
    API: 'api',
    DNS: 'dns',
    ICMP: 'icmp',
    TCP: 'tcp',
    URL: 'url',
    HEARTBEAT: 'heartbeat',
  } as const
  const settings = (): Record<string, unknown>[] => [
    { setupSnippetId: Number(theirIds['snippet']) },
    { tearDownSnippetId: Number(theirIds['snippet']) },
    { alertChannelSubscriptions: [{ alertChannelId: Number(theirIds['channel']) }] },
    { privateLocations: [`office-${theirNumber}`] },
    { groupId: Number(theirIds['group']) },
  ]
  /** What the operations of the table do not name. */
  const references = (): ['POST' | 'PUT' | 'PATCH', string, object][] => [
    ...Object.entries(checkPaths).flatMap(([type, path]) =>
      settings()
        .filter(
          (setting) =>
            type === 'API' ||
            type === 'HEARTBEAT' ||
            !('setupSnippetId' in setting || 'tearDownSnippetId' in setting),
        )
        .map((setting): ['POST' | 'PUT' | 'PATCH', string, object] => [
          'POST',
          `/v1/checks/${path}`,
          { ...bareChecks[type as keyof typeof checkPaths], ...setting },
        ]),
    ),
    ...settings().map((setting): ['POST' | 'PUT' | 'PATCH', string, object] => [
      'PUT',
      `/v1/checks/api/${ourIds['check']}`,
      apiCheckBody(setting),
    ]),
    ...['v1', 'v2'].flatMap((version) =>
      settings()
        .filter((setting) => !('groupId' in setting))
        .map((setting): ['POST' | 'PUT' | 'PATCH', string, object] => [
          'PUT',
          `/${version}/check-groups/${ourIds['group']}`,
          { name: 'g', ...setting },
        ]),
    ),
    ...[{ checkId: theirIds['check'] }, { groupId: Number(theirIds['group']) }].flatMap(
      (subscription): ['POST' | 'PUT' | 'PATCH', string, object][] => [
        ['PUT', `/v1/alert-channels/${ourIds['channel']}/subscriptions`, subscription],
        [
          'PUT',
          `/v1/alert-channels/${ourIds['channel']}`,
          { type: 'EMAIL', config: { address: 'a@b.example' }, subscriptions: [subscription] },
        ],
      ],
    ),
    [
      'PATCH',
      `/v1/status-pages/incidents/${ourIds['pageIncident']}`,
      { services: [{ id: theirIds['pageService'] }] },
    ],
  ]

  test('is refused in every field that names something', async () => {
    for (const [method, url, body] of references()) {
      const before = await allRows(ours.database)
      const answer = await ours.api(method, url, body)
      expect([method, url, body, answer.statusCode]).toEqual([method, url, body, 400])
      expect(marksIn(theirMarks, answer.body, JSON.stringify(body))).toEqual([])
      expect(await allRows(ours.database)).toEqual(before)
    }
  })

  test('of a target runs nothing', async () => {
    for (const [url, settingsOfRun] of [
      ['/v1/check-sessions/trigger', {}],
      ['/v2/check-sessions/trigger', {}],
      ['/v1/test-sessions/trigger', { name: 'Release', runLocation: 'eu-west-1' }],
    ] as const) {
      const before = await allRows(ours.database)
      const body = { ...settingsOfRun, target: { matchTags: [[`one-${theirNumber}`]] } }
      const answer = await ours.api('POST', url, body)
      expect(marksIn(theirMarks, answer.body, JSON.stringify(body))).toEqual([])
      const after = await allRows(ours.database)
      expect(after['check_runs']).toEqual(before['check_runs'])
    }
  })
})
