import type { Outcome } from '../../src/contract/outcome.ts'
import type { Result } from '../../src/contract/result.ts'
import { hashId } from '../../src/lib/ids.ts'

export const locations = ['eu-west-1', 'us-east-1'] as const
export const checkIdOf = (check: number): string => hashId('bench check', check)
export const urlOf = (check: number): string => `https://shop-${check}.example/health?region=eu`

/** 32 bits that look like chance and are the same for the same parts (a finalizer of MurmurHash3). */
export function mixed(one: number, other: number): number {
  let bits = (Math.imul(one, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b)) >>> 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A UUID for each (check, n), spread over all of them as hashed ids are and a tenth of their cost. */
function spreadId(check: number, n: number, salt: number): string {
  const hex = [0, 1, 2, 3]
    .map((part) =>
      mixed(check, (n * 4 + salt) * 4 + part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** As spreadId, beside those of the same time, as ids of runs and results are. */
export function timedId(at: number, check: number, n: number, salt: number): string {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${spreadId(check, n, salt).slice(13)}`
}

interface Slot {
  readonly id: string
  readonly runId: string
  readonly checkId: string
  readonly location: string
  readonly startedAt: number
}

/** A result of a plain HTTPS check, 1.5 KB as JSON: one of a hundred fails, two are slow; the target takes its own time. */
export function resultOf(check: number, n: number, slot: Slot): Result {
  const { id, runId, checkId, location, startedAt } = slot
  const chance = mixed(check, n)
  const failing = chance % 100 === 0
  const slow = chance % 100 === 1 || chance % 100 === 2
  const outcome = outcomeOf(check, { status: failing ? 503 : 200, slow, chance, startedAt })
  return {
    id,
    runId,
    checkId,
    version: 1,
    location,
    dueAt: startedAt - 2,
    attempt: 1,
    resultType: 'FINAL',
    retryAt: null,
    retryElsewhere: false,
    startedAt,
    stoppedAt: startedAt + Math.ceil(outcome.timings.totalUs / 1000),
    queueUs: 400 + (chance % 900),
    conclusion: {
      kind: 'judged',
      outcome,
      assertions: [
        {
          source: 'STATUS_CODE',
          comparison: 'EQUALS',
          property: '',
          target: '200',
          regex: null,
          actual: failing ? '503' : '200',
          holds: !failing,
          message: failing ? 'was 503' : null,
        },
      ],
      verdict: {
        state: failing ? 'failing' : slow ? 'degraded' : 'passing',
        overMaxResponseTime: false,
        overDegradedResponseTime: slow,
        reasons: failing
          ? ['STATUS_CODE EQUALS 200: was 503']
          : slow
            ? ['slower than degradedResponseTime']
            : [],
      },
    },
  }
}

interface Seen {
  readonly status: number
  readonly slow: boolean
  readonly chance: number
  readonly startedAt: number
}

function outcomeOf(check: number, { status, slow, chance, startedAt }: Seen): Outcome {
  const part = (shift: number, spanUs: number) => ((chance >>> shift) % 1024) * (spanUs / 1024)
  const phasesUs = {
    dns: Math.round(900 + part(0, 2000)),
    connect: Math.round(8000 + part(3, 9000)),
    tls: Math.round(14_000 + part(5, 20_000)),
    send: Math.round(90 + part(7, 100)),
    firstByte: Math.round((slow ? 5_200_000 : 40_000) + (check % 50) * 1000 + part(9, 60_000)),
    download: Math.round(300 + part(11, 4000)),
  }
  const totalUs = Object.values(phasesUs).reduce((sum, us) => sum + us, 0)
  const tls = { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', alpn: 'http/1.1', daysRemaining: 61 }
  const url = urlOf(check)
  const address = `192.0.2.${check % 250}`
  return {
    type: 'API',
    kind: 'observed',
    timings: { startedAt, totalUs, phasesUs },
    observation: {
      request: { method: 'GET', url, headers: { 'user-agent': 'Picket/1.0' }, body: '' },
      response: {
        status,
        statusText: status === 200 ? 'OK' : 'Service Unavailable',
        httpVersion: '1.1',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-request-id': `${chance.toString(16)}-${check}`,
        },
        body: '{"status":"ok","items":[1,2,3],"version":"2026.11.3"}',
        bodyBytes: 53,
        truncated: false,
      },
      hops: [
        {
          method: 'GET',
          url,
          status,
          remoteAddress: address,
          addresses: [{ address, fate: 'connected', code: null, tookUs: phasesUs.connect }],
          tls,
          timings: { startedUs: 0, totalUs, phasesUs },
        },
      ],
      tls,
    },
  }
}
