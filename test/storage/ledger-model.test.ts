import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClaimResponse, ReleaseResponse, RenewResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { agentCapabilities, resultOf } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { type LedgerService, startLedgerService } from '../support/ledger-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const agents = ['1', '2', '3'].map(
  (n) => `${n.repeat(8)}-${n.repeat(4)}-4${n.repeat(3)}-8${n.repeat(3)}-${n.repeat(12)}`,
)
const minuteMs = 60_000

/** Who has a run, as the agents know it. */
interface Lease {
  readonly agent: string
  readonly run: Run
  readonly until: number
}

interface Model {
  readonly leases: Map<string, Lease>
  /** What each agent ever had, the latest last: it may report of it whenever it likes. */
  readonly had: Map<string, Run[]>
  readonly outcomes: Map<string, string>
}

interface Real {
  readonly service: LedgerService
  readonly checkIds: readonly string[]
}

type Ledger = fc.AsyncCommand<Model, Real>

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Ledger => ({
  check: () => true,
  run,
  toString: () => name,
})

async function post<T>({ service }: Real, path: string, body: object): Promise<T> {
  const answer = await service.agent(path, body)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<T>()
}

/** Whatever an agent is given is nobody else's, has no outcome and is due. */
function take(model: Model, { service }: Real, agent: string, runs: readonly Run[]): void {
  const now = service.clock.now()
  for (const run of runs) {
    const lease = model.leases.get(run.id)
    expect(lease === undefined || lease.until <= now, 'one owner').toBe(true)
    expect(model.outcomes.has(run.id), 'nothing to do any more').toBe(false)
    expect(run.attemptAt).toBeLessThanOrEqual(now + 2000)
    model.leases.set(run.id, { agent, run, until: now + minuteMs })
    model.had.set(agent, [...(model.had.get(agent) ?? []), run])
  }
}

const claimAs = (real: Real, agent: string, slots: number) =>
  post<ClaimResponse>(real, 'claims', { agentId: agent, capabilities: agentCapabilities, slots, waitMs: 0 })

const claim = (agent: string, slots: number) =>
  command(`claim(${agent[0]}, ${slots})`, async (model, real) => {
    take(model, real, agent, (await claimAs(real, agent, slots)).runs)
  })

const claimAtOnce = command('claimAtOnce', async (model, real) => {
  const answers = await Promise.all(agents.map((agent) => claimAs(real, agent, 3)))
  for (const [n, { runs }] of answers.entries()) take(model, real, agents[n] ?? '', runs)
})

const heldBy = ({ leases }: Model, agent: string) =>
  [...leases].flatMap(([id, lease]) => (lease.agent === agent ? [id] : []))

const renew = (agent: string) =>
  command(`renew(${agent[0]})`, async (model, real) => {
    const runIds = (model.had.get(agent) ?? []).map(({ id }) => id)
    const { lost } = await post<RenewResponse>(real, 'leases', { agentId: agent, runIds })
    const held = heldBy(model, agent)
    expect(new Set(lost)).toEqual(new Set(runIds.filter((id) => !held.includes(id))))
    for (const id of held) {
      const lease = model.leases.get(id)
      if (lease) model.leases.set(id, { ...lease, until: real.service.clock.now() + minuteMs })
    }
  })

const release = (agent: string) =>
  command(`release(${agent[0]})`, async (model, real) => {
    const runIds = heldBy(model, agent)
    const { released } = await post<ReleaseResponse>(real, 'releases', { agentId: agent, runIds })
    expect(released).toBe(runIds.length)
    for (const id of runIds) model.leases.delete(id)
  })

const kinds = ['passing', 'failing', 'errored', 'late', 'retried', 'moved'] as const
type Kind = (typeof kinds)[number]
type Ending = Exclude<Kind, 'retried' | 'moved'>

function resultAs(run: Run, kind: Kind, at: number): Result {
  switch (kind) {
    case 'passing':
    case 'failing':
      return resultOf(run, at, kind)
    case 'errored':
      return resultOf(run, at, 'passing', { conclusion: { kind, reason: 'no-egress', message: 'm' } })
    case 'late':
      return resultOf(run, at, 'passing', { conclusion: { kind: 'missed', reason: 'late' } })
    case 'retried':
    case 'moved': {
      const retryElsewhere = kind === 'moved'
      return resultOf(run, at, 'failing', { resultType: 'ATTEMPT', retryAt: at + 5000, retryElsewhere })
    }
  }
}

const outcomes = { passing: 'passed', failing: 'failed', errored: 'errored', late: 'missed' } as const

/** The first outcome stands, but what was seen of the target outranks that the run was missed. */
function note(model: Model, id: string, kind: Ending): void {
  const known = model.outcomes.get(id)
  const seen = kind === 'passing' || kind === 'failing'
  if (known === undefined || (known === 'missed' && seen)) model.outcomes.set(id, outcomes[kind])
  model.leases.delete(id)
}

const rowOf = ({ service }: Real, id: string) =>
  service.database.kysely.selectFrom('checkRuns').selectAll().where('id', '=', id).executeTakeFirst()
type Row = Awaited<ReturnType<typeof rowOf>>

interface Attempted {
  readonly agent: string
  readonly run: Run
  readonly kind: 'retried' | 'moved'
  readonly at: number
  readonly before: Row
  readonly after: Row
}

/**
 * What was given back is nobody's; what is retried where it is stays whose it is, or is the agent's that says so. An
 * attempt before the one that is to be made changes nothing.
 */
function noteAttempt(model: Model, { agent, run, kind, at, before, after }: Attempted): void {
  if (before && (model.outcomes.has(run.id) || before.attempt > run.attempt)) {
    expect(after).toEqual(before)
    return
  }
  if (!after) return
  expect(after.attempt).toBe(run.attempt + 1)
  const lease = { agent, run, until: at + 5000 + minuteMs }
  if (kind === 'moved') model.leases.delete(run.id)
  else if (before?.state !== 'leased' && after.location === run.location) model.leases.set(run.id, lease)
  const held = model.leases.get(run.id)
  expect([after.state, after.agentId]).toEqual(held ? ['leased', held.agent] : ['pending', null])
}

/** Twice: what is sent again changes nothing. */
const report = (agent: string, nth: number, kind: Kind) =>
  command(`report(${agent[0]}, ${nth}, ${kind})`, async (model, real) => {
    const run = model.had.get(agent)?.at(-1 - nth)
    if (!run) return
    const at = real.service.clock.now()
    const body = { agentId: agent, results: [resultAs(run, kind, at)] }
    const before = await rowOf(real, run.id)
    for (let time = 0; time < 2; time += 1)
      expect(await post(real, 'results', body)).toEqual({ accepted: 1, refused: [] })
    if (kind !== 'retried' && kind !== 'moved') note(model, run.id, kind)
    else noteAttempt(model, { agent, run, kind, at, before, after: await rowOf(real, run.id) })
  })

const advance = (ms: number) =>
  command(`advance(${ms})`, async (_model, { service }) => service.clock.advance(ms))
const tick = (ms: number) =>
  command(`tick(${ms})`, async (_model, { service }) => {
    service.clock.advance(ms)
    await service.plan(1)
  })
const plan = (servers: number) => command(`plan(${servers})`, (_model, { service }) => service.plan(servers))

/**
 * Of runs that agents have, only those that were left alone for minutes are given up. A retry that nobody has ends as the
 * attempt before it.
 */
const expire = command('expire', async (model, { service }) => {
  await expireRunsTurn({ ...service, logger })
  const seen = await service.database.kysely
    .selectFrom('checkRuns')
    .select(['id', 'attempt'])
    .where('outcome', '=', 'failed')
    .execute()
  for (const { id, attempt } of seen.filter((run) => !model.outcomes.has(run.id))) {
    expect(attempt).toBeGreaterThan(1)
    expect(model.leases.has(id)).toBe(false)
    note(model, id, 'failing')
  }
  const missed = await service.database.kysely
    .selectFrom('checkRuns')
    .select(['id', 'attemptAt'])
    .where('outcome', '=', 'missed')
    // What was never to begin is planned anew when its check changes.
    .where('finishedAt', 'is not', null)
    .execute()
  const now = service.clock.now()
  for (const { id, attemptAt } of missed) {
    const lease = model.leases.get(id)
    if (lease) expect(lease.until < now - 6 * minuteMs || attemptAt < now - 30 * minuteMs).toBe(true)
    if (!model.outcomes.has(id)) note(model, id, 'late')
  }
})

const bothPlaces = ['us-east-1', 'eu-west-1'] as const
const changes = [
  { activated: false },
  { activated: true },
  { frequencyOffset: 20 },
  { locations: bothPlaces },
  { locations: bothPlaces, runParallel: true },
]

const change = (nth: number, to: number) =>
  command(`change(${nth}, ${to})`, async (_model, { service, checkIds }) => {
    const url = `/v1/checks/api/${checkIds[nth]}`
    const answer = await service.api('PUT', url, apiCheckBody(changes[to]))
    expect(answer.statusCode, answer.body).toBe(200)
  })

const agent = fc.constantFrom(...agents)
const commands = [
  fc.integer({ min: 1, max: 30_000 }).map(tick),
  fc.constantFrom(9000, 20_000).map(tick),
  fc.constantFrom(30_000, 65_000, 400_000, 1_900_000).map(advance),
  fc.constant(plan(2)),
  fc.tuple(agent, fc.integer({ min: 1, max: 10 })).map(([who, slots]) => claim(who, slots)),
  fc.constant(claimAtOnce),
  agent.map(renew),
  agent.map(release),
  fc.tuple(agent, fc.nat(4), fc.constantFrom(...kinds)).map(([who, nth, kind]) => report(who, nth, kind)),
  fc.constant(expire),
  fc.tuple(fc.nat(1), fc.nat(changes.length - 1)).map(([nth, to]) => change(nth, to)),
]

/** No slot is lost, none is there twice, and each has the outcome that it was given. */
async function expectWhole(model: Model, { service }: Real): Promise<void> {
  await service.plan(1)
  const report = await service.audit()
  expect(report.namedGaps).toEqual([])
  expect(report.counts.unplanned).toBe(0)
  expect(report.doubles).toBe(0)
  const runs = await service.database.kysely.selectFrom('checkRuns').selectAll().execute()
  const claimed = runs.filter(({ id }) => model.outcomes.has(id) || model.leases.has(id))
  for (const { id, outcome } of claimed) expect([id, outcome]).toEqual([id, model.outcomes.get(id) ?? null])
  const finals = service.database.kysely
    .selectFrom('checkResults')
    .select('runId')
    .where('resultType', '=', 'FINAL')
  const ids = (await finals.execute()).map(({ runId }) => runId)
  expect(new Set(ids).size).toBe(ids.length)
}

forEachEngine((engine, open) => {
  test('through claims, renewals, reports, expiry, changes and two schedulers no slot is lost, shared or ended twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), async (run) => {
        const service = await startLedgerService(await open())
        const checkIds = [
          await service.createCheck({ locations: [...bothPlaces] }),
          await service.createCheck({ frequencyOffset: 30 }),
        ]
        const model: Model = { leases: new Map(), had: new Map(), outcomes: new Map() }
        const real = { service, checkIds }
        await fc.asyncModelRun(() => ({ model, real }), run)
        await expectWhole(model, real)
      }),
      { numRuns: engine === 'sqlite' ? 20 : 5 },
    )
  }, 120_000)
})
