import fc from 'fast-check'
import type { CheckTypeName } from '../../src/contract/check-types.ts'
import { bareChecks, pathOfType } from './check-bodies.ts'
import type { Ids } from './one-of-everything.ts'
import { type Body, over, type ResourceKind } from './resource-kind.ts'

const url = fc.constantFrom(
  'http://Shop.Example',
  'https://shop.example:443/%7Ea/../b?x=%20&x=1#Top',
  'https://user:p%40ss@shop.example/',
  'http://127.0.0.1:9/{{PATH}}',
  'https://bücher.example/ü?q=ü',
)
export const variables = fc.uniqueArray(
  fc.record({
    key: fc.string({ minLength: 1, maxLength: 10 }),
    value: fc.string({ unit: 'binary', maxLength: 20 }),
    locked: fc.boolean(),
    secret: fc.constant(false),
  }),
  { selector: ({ key }) => key, maxLength: 3 },
)
const schedules = fc.constantFrom<Body>(
  { frequency: 5, frequencyOffset: 7 },
  { frequency: 1440, frequencyOffset: 24 },
  { frequency: 10, frequencyOffset: 1 },
)
const channels = (ids: Ids) =>
  fc.subarray([{ alertChannelId: Number(ids['channel']), activated: false }], { maxLength: 1 })
export const snippets = (ids: Ids) => fc.constantFrom(null, Number(ids['snippet']))
const incidents = (ids: Ids) =>
  fc.option(
    fc.record({
      serviceId: fc.constantFrom('', ids['pageService'] ?? ''),
      severity: fc.constantFrom('CRITICAL', 'MINOR'),
      name: fc.string({ unit: 'binary', maxLength: 20 }),
      description: fc.string({ unit: 'binary', maxLength: 20 }),
      notifySubscribers: fc.boolean(),
    }),
  )
const places = fc.constantFrom([], ['office-1'], null)
const apiAssertions = fc.subarray([
  { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null },
  { source: 'JSON_BODY', comparison: 'HAS_KEY', property: '$.a[?@.b>1]', target: ' k ', regex: null },
  { source: 'TEXT_BODY', comparison: 'CONTAINS', property: '(a+)', target: '', regex: null },
  { source: 'HEADERS', comparison: 'NOT_EMPTY', property: 'X-Y', target: '', regex: '^a$' },
])
const assertionsOf = {
  DNS: [
    { source: 'RESPONSE_CODE', comparison: 'EQUALS', property: '', target: 'NXDOMAIN', regex: null },
    { source: 'TEXT_ANSWER', comparison: 'CONTAINS', property: '(mail)', target: ' m ', regex: null },
    { source: 'JSON_ANSWER', comparison: 'NOT_EMPTY', property: '$.Answer[0].data', target: '', regex: null },
  ],
  ICMP: [
    { source: 'LATENCY', comparison: 'LESS_THAN', property: 'stddev', target: '10', regex: null },
    { source: 'JSON_RESPONSE', comparison: 'EQUALS', property: '$.packetLoss', target: '0', regex: null },
  ],
  TCP: [
    { source: 'RESPONSE_DATA', comparison: 'EQUALS', property: '^([+]PONG)', target: 'ü😀', regex: null },
    { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', property: '', target: '1000', regex: null },
  ],
}
const pairs = fc.array(
  fc.record({
    key: fc.string({ maxLength: 5 }),
    value: fc.constantFrom('', ' v ', '{{A}}', 'ü😀'),
    locked: fc.boolean(),
  }),
  { maxLength: 3 },
)
const heartbeat = fc
  .constantFrom<Body>(
    { period: 30, periodUnit: 'seconds', grace: 0, graceUnit: 'days' },
    { period: 1.5, periodUnit: 'hours', grace: 0.25, graceUnit: 'minutes' },
  )
  .chain((times) => fc.uuid().map((pingToken) => ({ ...times, pingToken })))

export const shared = (ids: Ids) => ({
  locations: fc.constantFrom(['eu-west-1'], ['us-east-1', 'eu-west-1']),
  privateLocations: places,
  alertChannelSubscriptions: channels(ids),
})

const nameServers = fc.constantFrom<Body>(
  { nameServer: '192.0.2.1', port: 53 },
  { nameServer: undefined, port: undefined },
)

/** By the type of the check, the fields of its own that a schema cannot settle. */
function ownFields(type: CheckTypeName, ids: Ids): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const scripts = {
    setupSnippetId: snippets(ids),
    tearDownSnippetId: snippets(ids),
    environmentVariables: variables,
  }
  const { request } = bareChecks[type] as { readonly request?: unknown }
  switch (type) {
    case 'API':
      return {
        ...scripts,
        request: fc.record({
          url,
          method: fc.constantFrom('GET', 'POST', 'OPTIONS'),
          headers: pairs,
          queryParameters: pairs,
          assertions: apiAssertions,
          body: fc.constantFrom('', ' {"a": 1}\r\n', '\u0000\ud83d\ude00'),
          bodyType: fc.constantFrom('NONE', 'JSON', 'RAW'),
        }),
      }
    case 'URL':
      return { request: fc.record({ url, ipFamily: fc.constantFrom('IPv4', 'IPv6') }) }
    case 'HEARTBEAT':
      return {
        ...scripts,
        heartbeat,
        script: fc.constantFrom('', 'x'),
        request: fc.constantFrom(null, undefined),
      }
    case 'DNS':
      return {
        request: fc
          .tuple(nameServers, fc.subarray(assertionsOf.DNS))
          .map(([server, assertions]) => over(request, { ...server, assertions })),
      }
    case 'ICMP':
    case 'TCP':
      return { request: fc.subarray(assertionsOf[type]).map((assertions) => over(request, { assertions })) }
    case 'AGENTIC':
    case 'BROWSER':
    case 'MULTI_STEP':
    case 'PLAYWRIGHT':
      return { environmentVariables: variables }
  }
}

export const checkKind = (type: CheckTypeName): ResourceKind => {
  const path = pathOfType[type]
  return {
    name: `${type} check`,
    create: path ? `/v1/checks/${path}` : '/v1/checks',
    one: '/v1/checks/',
    replace: path ? `/v1/checks/${path}/` : '/v1/checks/',
    idOf: ({ id }) => id,
    settle: (ids) =>
      fc
        .tuple(
          fc.record({
            ...shared(ids),
            ...ownFields(type, ids),
            triggerIncident: incidents(ids),
            groupId: fc.constantFrom(null, Number(ids['group'])),
          }),
          type === 'HEARTBEAT' ? fc.constant({}) : schedules,
        )
        .map(([fields, schedule]) => ({ ...fields, ...schedule, ...(!path && { checkType: type }) })),
    query: '',
    untold: type === 'HEARTBEAT' ? heartbeatUntold : [],
    demanded: type === 'HEARTBEAT' ? { script: '' } : {},
  }
}

/** service.md: what a heartbeat's answer does not carry. */
const heartbeatUntold = [
  ...[
    'doubleCheck',
    'shouldFail',
    'locations',
    'groupId',
    'groupOrder',
    'runtimeId',
    'frequency',
    'frequencyOffset',
  ],
  ...['privateLocations', 'setupSnippetId', 'tearDownSnippetId', 'localSetupScript', 'localTearDownScript'],
  ...[
    'scriptPath',
    'sslCheckDomain',
    'environmentVariables',
    'degradedResponseTime',
    'maxResponseTime',
    'script',
  ],
  ...['request', 'pingToken'],
]
