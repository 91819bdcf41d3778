import type { Static, TObject } from 'typebox'
import { Type } from 'typebox'
import type { CheckTypeName } from './check-types.ts'
import { ApiCheck, ApiCheckUpdate } from './checks/api/check.ts'
import { BrowserCheck } from './checks/browser/check.ts'
import { DnsCheck } from './checks/dns/check.ts'
import { HeartbeatCheck, HeartbeatCheckUpdate } from './checks/heartbeat/check.ts'
import { IcmpCheck } from './checks/icmp/check.ts'
import { MultiStepCheck } from './checks/multi-step/check.ts'
import { SuiteCheck } from './checks/suite/check.ts'
import { TcpCheck } from './checks/tcp/check.ts'
import { UrlCheck } from './checks/url/check.ts'

/** An update replaces everything but what `kept` names, where that is left out. */
const updateOf = <T extends TObject>(create: T, kept: readonly string[]) =>
  Type.Object({
    ...create.properties,
    ...Object.fromEntries(
      Object.entries(create.properties)
        .filter(([key]) => kept.includes(key))
        .map(([key, schema]) => [key, Type.Optional(schema)]),
    ),
  })

const whole = <T extends TObject>(create: T) => ({
  create,
  update: updateOf(create, ['name', 'request', 'script']),
})

/** What a check of each type is made of: the bodies of its create operation, which is how it is stored, and its update. */
export const checkSchemas = {
  AGENTIC: whole(SuiteCheck),
  API: { create: ApiCheck, update: ApiCheckUpdate },
  BROWSER: whole(BrowserCheck),
  DNS: whole(DnsCheck),
  HEARTBEAT: { create: HeartbeatCheck, update: HeartbeatCheckUpdate },
  ICMP: whole(IcmpCheck),
  MULTI_STEP: whole(MultiStepCheck),
  PLAYWRIGHT: whole(SuiteCheck),
  TCP: whole(TcpCheck),
  URL: whole(UrlCheck),
} as const satisfies Record<CheckTypeName, { create: TObject; update: TObject }>

export type CheckOf<T extends CheckTypeName> = Static<(typeof checkSchemas)[T]['create']>

/** A check and its type. */
export type TypedCheck = {
  [T in CheckTypeName]: { readonly type: T; readonly check: CheckOf<T> }
}[CheckTypeName]
