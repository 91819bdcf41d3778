import { expect } from 'vitest'
import { contractFaults, contractIsHere } from './shared-contract.ts'
import type { TestService } from './test-service.ts'

type Body = Record<string, unknown>

/** A config of each type, as existing clients send them. */
export const channelConfigs: Readonly<Record<string, Body>> = {
  EMAIL: { address: 'a@b.com' },
  SLACK: { url: 'https://hooks.slack.com/services/T/B/x', channel: '#ops' },
  SLACK_APP: { slackChannels: ['C123', 'C001'] },
  WEBHOOK: {
    name: 'hook',
    url: 'https://example.com/h?token=t0k3n',
    method: 'PUT',
    headers: [
      { key: 'X', value: '1', locked: false },
      { key: 'A', value: '2', locked: true },
    ],
    queryParameters: [{ key: 'q', value: '2', locked: true }],
    template: '{"t":"{{ALERT_TITLE}}"}',
    webhookType: 'WEBHOOK_MSTEAMS',
  },
  SMS: { number: '+31061234567890', name: 'Jane' },
  CALL: { number: '+31061234567890', name: 'Jane' },
  PAGERDUTY: { account: 'acct', serviceName: 'svc', serviceKey: 'k3y-of-a-service' },
  OPSGENIE: { name: 'ops', apiKey: 'k3y-of-an-api', region: 'EU', priority: 'P1' },
}

/** An e-mail channel that was just made, with whatever else is given. */
export async function makeChannel(service: TestService, overrides: Body = {}) {
  const { EMAIL: config } = channelConfigs
  const answer = await service.api('POST', '/v1/alert-channels', { type: 'EMAIL', config, ...overrides })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}

/** Answers with the status and, where the contract is here, in its shape. */
export function expectConforming(
  answer: { readonly statusCode: number; readonly body: string },
  method: string,
  route: string,
  status: number,
): void {
  expect(answer.statusCode, answer.body).toBe(status)
  const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body)
  if (contractIsHere) expect(contractFaults(method, route, status, body)).toEqual([])
}
