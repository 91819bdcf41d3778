import type { CheckTypeName } from '../../src/contract/check-types.ts'

type Body = Readonly<Record<string, unknown>>

const shared = {
  name: 'a check',
  activated: false,
  muted: true,
  doubleCheck: false,
  shouldFail: true,
  locations: ['us-east-1', 'eu-west-1'],
  tags: ['b', 'a'],
  alertSettings: {
    escalationType: 'TIME_BASED',
    runBasedEscalation: { failedRunThreshold: 2 },
    timeBasedEscalation: { minutesFailingThreshold: 10 },
    reminders: { amount: 100_000, interval: 15 },
    parallelRunFailureThreshold: { enabled: true, percentage: 50 },
  },
  useGlobalAlertSettings: false,
  groupId: null,
  groupOrder: 2,
  runtimeId: '2026.04',
  alertChannelSubscriptions: [],
  triggerIncident: {
    serviceId: '',
    severity: 'CRITICAL',
    name: 'n',
    description: 'd',
    notifySubscribers: true,
  },
  runParallel: true,
  description: 'what it is for',
  frequency: 5,
  frequencyOffset: 50,
  privateLocations: null,
}
const retry = {
  retryStrategy: {
    type: 'LINEAR',
    baseBackoffSeconds: 10,
    sameRegion: false,
    maxRetries: 3,
    maxDurationSeconds: 120,
    onlyOn: ['NETWORK_ERROR'],
  },
}
const variables = {
  environmentVariables: [{ key: 'A', value: ' 1 ', locked: true, secret: false }],
}
const scripts = {
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: 'console.log(1)',
  localTearDownScript: null,
}
const assertion = (source: string, comparison: string, property = '', target = '1') => ({
  source,
  comparison,
  property,
  target,
  regex: null,
})
const scripted = {
  ...shared,
  ...retry,
  ...variables,
  script: "await page.goto('https://shop.example')",
  scriptPath: 'checks/home.spec.ts',
  dependencies: [{ path: 'a.ts', content: 'export {}' }],
}

/** The path of the operations that a type has of its own; the others are made by POST /v1/checks. */
export const pathOfType: Partial<Record<CheckTypeName, string>> = {
  API: 'api',
  BROWSER: 'browser',
  DNS: 'dns',
  HEARTBEAT: 'heartbeat',
  ICMP: 'icmp',
  MULTI_STEP: 'multistep',
  TCP: 'tcp',
  URL: 'url',
}

/** A body of each type with every field, in the form in which it comes back. */
export const fullChecks: Readonly<Record<CheckTypeName, Body>> = {
  AGENTIC: { ...scripted, sslCheckDomain: 'shop.example' },
  API: {
    ...shared,
    ...retry,
    ...variables,
    ...scripts,
    degradedResponseTime: 100,
    maxResponseTime: 30_000,
    request: {
      method: 'POST',
      url: 'https://shop.example/{{A}}',
      followRedirects: false,
      skipSSL: true,
      ipFamily: 'IPv6',
      body: '{"a":1}',
      bodyType: 'JSON',
      headers: [{ key: 'X', value: '1', locked: true }],
      queryParameters: [{ key: 'q', value: '', locked: false }],
      assertions: [assertion('JSON_BODY', 'EQUALS', '$.a')],
      basicAuth: { username: 'u', password: 'p' },
    },
  },
  BROWSER: { ...scripted, sslCheckDomain: 'shop.example' },
  DNS: {
    ...shared,
    ...retry,
    degradedResponseTime: 5,
    maxResponseTime: 5000,
    request: {
      query: 'shop.example',
      recordType: 'MX',
      protocol: 'TCP',
      nameServer: '192.0.2.1',
      port: 53,
      assertions: [assertion('TEXT_ANSWER', 'CONTAINS')],
    },
  },
  HEARTBEAT: {
    ...shared,
    ...variables,
    ...scripts,
    frequency: 10,
    degradedResponseTime: 300_000,
    maxResponseTime: 0,
    script: '',
    scriptPath: null,
    sslCheckDomain: '',
    heartbeat: { period: 30, periodUnit: 'seconds', grace: 365, graceUnit: 'days' },
  },
  ICMP: {
    ...shared,
    ...retry,
    degradedPacketLossThreshold: 0.5,
    maxPacketLossThreshold: 100,
    request: {
      hostname: '2001:db8::1',
      ipFamily: 'IPv6',
      pingCount: 50,
      assertions: [assertion('LATENCY', 'LESS_THAN', 'avg', '100')],
    },
  },
  MULTI_STEP: scripted,
  PLAYWRIGHT: { ...scripted, sslCheckDomain: null },
  TCP: {
    ...shared,
    ...retry,
    frequency: 0,
    frequencyOffset: 20,
    degradedResponseTime: 0,
    maxResponseTime: 5000,
    request: {
      hostname: 'db.shop.example',
      port: 5432,
      data: 'PING\r\n',
      ipFamily: 'IPv4',
      assertions: [assertion('RESPONSE_DATA', 'CONTAINS', 'P(.*)')],
    },
  },
  URL: {
    ...shared,
    ...retry,
    degradedResponseTime: 3000,
    maxResponseTime: 5000,
    request: {
      method: 'GET',
      url: 'https://shop.example/',
      followRedirects: false,
      skipSSL: true,
      ipFamily: 'IPv4',
      assertions: [assertion('STATUS_CODE', 'LESS_THAN', '', '400')],
    },
  },
}

/** A body of each type with no more than is needed. */
export const bareChecks: Readonly<Record<CheckTypeName, Body>> = {
  AGENTIC: { name: 'n', locations: ['eu-west-1'] },
  API: { name: 'n', locations: ['eu-west-1'], request: { url: 'http://shop.example' } },
  BROWSER: { name: 'n', locations: ['eu-west-1'], script: '' },
  DNS: { name: 'n', locations: ['eu-west-1'], request: { query: 'shop.example', recordType: 'A' } },
  HEARTBEAT: { name: 'n', heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'minutes' } },
  ICMP: { name: 'n', locations: ['eu-west-1'], request: { hostname: 'shop.example' } },
  MULTI_STEP: { name: 'n', locations: ['eu-west-1'], script: null },
  PLAYWRIGHT: { name: 'n', locations: ['eu-west-1'] },
  TCP: { name: 'n', locations: ['eu-west-1'], request: { hostname: 'shop.example', port: 22 } },
  URL: { name: 'n', locations: ['eu-west-1'], request: { url: 'http://shop.example' } },
}
