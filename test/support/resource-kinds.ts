import fc from 'fast-check'
import type { CheckTypeName } from '../../src/contract/check-types.ts'
import { bareChecks } from './check-bodies.ts'
import { checkKind, shared, snippets, variables } from './check-kinds.ts'
import type { DescribedOperation, SchemaNode } from './described-operations.ts'
import type { Ids } from './one-of-everything.ts'
import { type Body, over, type ResourceKind } from './resource-kind.ts'
import { fitting } from './schema-values.ts'

const webUrl = fc.constantFrom(
  'https://Hook.Example/a?b=%20',
  'http://hook.example',
  'https://hook.example/{{A}}',
)
const groupKind = (version: 'v1' | 'v2'): ResourceKind => ({
  name: `check group of ${version}`,
  create: `/${version}/check-groups`,
  one: '/v1/check-groups/',
  replace: `/${version}/check-groups/`,
  idOf: ({ id }) => id,
  settle: (ids) =>
    fc.record({
      ...shared(ids),
      setupSnippetId: snippets(ids),
      tearDownSnippetId: snippets(ids),
      environmentVariables: variables,
      browserCheckDefaults: fc.constantFrom('x', ' ', ''),
    }),
  query: '',
  untold: [],
  demanded: {},
})

const kind = (
  name: string,
  path: string,
  settle: ResourceKind['settle'],
  more: Partial<ResourceKind> = {},
): ResourceKind => ({
  name,
  create: path,
  one: `${path}/`,
  replace: `${path}/`,
  idOf: ({ id }) => id,
  settle,
  query: '',
  untold: [],
  demanded: {},
  ...more,
})

const unique = fc.uuid().map((text) => `u${text.replaceAll('-', '')}`.slice(0, 25))
const services = (ids: Ids) => fc.constant([{ id: ids['pageService'] }])
const windows = fc.constantFrom<Body>(
  {
    startsAt: '2026-05-01',
    endsAt: '2026-05-02T01:00:00+02:00',
    repeatUnit: 'WEEK',
    repeatEndsAt: '2026-08-01',
  },
  {
    startsAt: '2026-05-01T10:00',
    endsAt: '2026-05-01T10:00:00.5Z',
    repeatUnit: '',
    repeatInterval: null,
    repeatEndsAt: null,
  },
)
const card = (ids: Ids) =>
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 9 }),
    services: fc.oneof(services(ids), fc.constant([])),
  })

export const resourceKinds: readonly ResourceKind[] = [
  ...(Object.keys(bareChecks) as CheckTypeName[]).map(checkKind),
  groupKind('v1'),
  groupKind('v2'),
  kind('snippet', '/v1/snippets', () => fc.constant({})),
  kind('maintenance window', '/v1/maintenance-windows', () => windows),
  kind(
    'dashboard',
    '/v1/dashboards',
    () =>
      fc.record({
        customUrl: unique,
        customDomain: fc.oneof(
          unique.map((text) => `${text}.Example`),
          fc.constant(null),
        ),
      }),
    { idOf: ({ dashboardId }) => dashboardId },
  ),
  kind(
    'incident of a dashboard',
    '/v1/incidents',
    (ids) =>
      fc.constant({
        dashboardId: Number(ids['dashboardNumber']),
        startedAt: null,
        stoppedAt: '2026-05-01T10:00:00+02:00',
      }),
    { query: '?includeAllIncidentUpdates=true' },
  ),
  kind('private location', '/v1/private-locations', () =>
    fc.record({
      slugName: unique,
      proxyUrl: fc.constantFrom(null, '', 'http://Proxy.Example:3128', 'https://10.0.0.1/'),
    }),
  ),
  kind('variable', '/v1/variables', () => fc.record({ key: unique, secret: fc.constant(false) }), {
    idOf: ({ key }) => key,
  }),
  kind('status page service', '/v1/status-pages/services', () => fc.constant({})),
  kind('status page', '/v1/status-pages', (ids) =>
    fc.record({
      url: unique,
      customDomain: fc.oneof(unique, fc.constant(null)),
      cards: fc.array(card(ids), { maxLength: 2 }),
      logo: fc.constantFrom(null, '/a.png', 'https://a.example/A?b#c'),
      redirectTo: fc.constant(null),
      favicon: fc.constantFrom('', null),
      keys: fc.constant(undefined),
      themeColors: fc.constant(null),
    }),
  ),
  kind('incident of status pages', '/v1/status-pages/incidents', (ids) =>
    fc.record({ services: services(ids) }),
  ),
  ...(['EMAIL', 'SLACK', 'SLACK_APP', 'WEBHOOK', 'SMS', 'CALL', 'PAGERDUTY', 'OPSGENIE'] as const).map(
    (type) =>
      kind(`alert channel of type ${type}`, '/v1/alert-channels', (ids) =>
        fc.record({
          type: fc.constant(type),
          subscriptions: fc.constantFrom([], [{ checkId: ids['check'], groupId: null, activated: false }]),
          ...(['SLACK', 'WEBHOOK'].includes(type) && { config: fc.record({ url: webUrl }) }),
        }),
      ),
  ),
]

const isOfType = (node: SchemaNode | undefined, type: unknown) =>
  node?.const === type || node?.enum?.includes(type)

/** The member of a union that is of this type. */
function schemaOf({ body }: DescribedOperation, settled: Body) {
  const member = body?.anyOf?.find(({ properties }) => isOfType(properties?.['type'], settled['type']))
  return member ?? body ?? {}
}

/** Bodies of this kind that are all right as far as can be said beforehand, as JSON has them. */
export const bodiesOf = (kindOf: ResourceKind, operation: DescribedOperation, ids: Ids): fc.Arbitrary<Body> =>
  kindOf
    .settle(ids)
    .chain((settled) => fitting(schemaOf(operation, settled)).map((generated) => over(generated, settled)))
    .map((body) => JSON.parse(JSON.stringify(body)))
