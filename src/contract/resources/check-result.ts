import { type Static, Type } from 'typebox'
import { AssertionResult } from '../assertion.ts'
import { checkTypeNames } from '../check-types.ts'
import { DnsEvidence, DnsResponse } from '../checks/dns/observation.ts'
import { Hop } from '../checks/http-observation.ts'
import { IcmpEvidence } from '../checks/icmp/observation.ts'
import { TcpEvidence } from '../checks/tcp/observation.ts'
import { TlsFacts } from '../connection.ts'
import { CursorList, cursorQuery } from '../cursor-list.ts'
import { NetworkFailure } from '../failure.ts'
import { pageQuery } from '../paging.ts'
import { Micros, Nullable, OneOf, Text } from '../schema.ts'
import { Timings } from '../timings.ts'
import { Verdict } from '../verdict.ts'
import { DateTimeText, InstantQuery } from '../wire-time.ts'

const Headers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))
const Ms = Nullable(Type.Number({ description: 'milliseconds, fractions kept' }))

/** semantics §3: phases on the wire; one that did not happen is null. */
const TimingPhases = Type.Object({
  wait: Ms,
  dns: Ms,
  tcp: Ms,
  tls: Ms,
  send: Ms,
  firstByte: Ms,
  download: Ms,
  total: Ms,
})
export type TimingPhases = Static<typeof TimingPhases>

/** Epoch milliseconds of each step's end. */
const WireTimings = Type.Object({
  start: Ms,
  lookup: Ms,
  connect: Ms,
  secureConnect: Ms,
  upload: Ms,
  response: Ms,
  end: Ms,
})

export const ApiCheckResult = Type.Object({
  assertions: Nullable(
    Type.Array(Type.String({ description: 'an assertion and what became of it, as a sentence' })),
  ),
  request: Type.Optional(
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      data: Type.String(),
      headers: Headers,
      params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    }),
  ),
  response: Type.Optional(
    Type.Object({
      status: Type.Optional(Type.Integer()),
      statusText: Type.Optional(Type.String()),
      body: Type.Optional(Type.String()),
      headers: Type.Optional(Headers),
      timings: Type.Optional(WireTimings),
      timingPhases: Type.Optional(TimingPhases),
    }),
  ),
  requestError: Nullable(Type.String()),
  jobLog: Nullable(Type.Record(Type.String(), Type.Unknown())),
  jobAssets: Nullable(Type.Array(Type.String())),
  pcapDataUrl: Nullable(Type.String()),
})
export type ApiCheckResult = Static<typeof ApiCheckResult>

/** What was seen of a TCP connection; its phases as semantics §3 has them. */
const TcpDetails = Type.Object({
  ...TcpEvidence.properties,
  timingPhases: Type.Object({ dns: Ms, connection: Ms, data: Ms, total: Ms }),
})

/** What was seen of a DNS question. */
const DnsDetails = Type.Object({ ...DnsEvidence.properties, response: Nullable(DnsResponse) })

/** Our own finer record of a result: µs, hops, the failure's class, every assertion, and why the verdict fell so. */
export const Diagnosis = Type.Object({
  kind: OneOf(['observed', 'unreachable', 'timed-out', 'errored', 'missed']),
  verdict: Nullable(Verdict),
  reason: Nullable(Type.String({ description: 'why a run says nothing about its target' })),
  cause: Nullable(NetworkFailure),
  timings: Nullable(Timings),
  queueUs: Micros,
  assertions: Type.Array(AssertionResult),
  hops: Type.Array(Hop),
  tls: Nullable(TlsFacts),
  tcp: Nullable(TcpDetails),
  dns: Nullable(DnsDetails),
  icmp: Nullable(IcmpEvidence, { description: 'as JSON_RESPONSE reads it (semantics §3), and who answered' }),
})
export type Diagnosis = Static<typeof Diagnosis>

/** service.md and the contract's CheckResult, and our own diagnosis. */
export const CheckResultResource = Type.Object({
  id: Type.String(),
  name: Type.String(),
  checkId: Type.String(),
  hasFailures: Type.Boolean(),
  hasErrors: Type.Boolean(),
  isDegraded: Nullable(Type.Boolean()),
  overMaxResponseTime: Nullable(Type.Boolean()),
  runLocation: Type.String(),
  startedAt: Nullable(DateTimeText),
  stoppedAt: Nullable(DateTimeText),
  created_at: DateTimeText,
  responseTime: Type.Number(),
  apiCheckResult: Nullable(ApiCheckResult),
  checkRunId: Type.Integer(),
  attempts: Type.Integer(),
  resultType: OneOf(['FINAL', 'ATTEMPT', 'ALL']),
  sequenceId: Nullable(Type.String()),
  errorGroupIds: Nullable(Type.Array(Type.String())),
  diagnosis: Diagnosis,
})
export type CheckResultResource = Static<typeof CheckResultResource>

const filters = {
  from: Type.Optional(InstantQuery),
  to: Type.Optional(InstantQuery),
  location: Type.Optional(Text({ maxLength: 30, description: 'data-center id or private-location slug' })),
  checkType: Type.Optional(OneOf(checkTypeNames)),
  hasFailures: Type.Optional(Type.Boolean()),
  resultType: OneOf(['FINAL', 'ATTEMPT', 'ALL'], { default: 'FINAL' }),
}

export const CheckResultListQuery = Type.Object({ ...pageQuery, ...filters })
export const CheckResultCursorQuery = Type.Object({
  ...cursorQuery,
  limit: pageQuery.limit,
  ...filters,
})
export const CheckResultCursorList = CursorList(CheckResultResource)
