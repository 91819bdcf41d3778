import { setTimeout as sleep } from 'node:timers/promises'
import { subjectOf, type Trouble, type TroubleKind } from './plan.ts'
import type { Stage } from './stage.ts'

const slowestMs = 1200
const longestStepMs = 3_600_000

function oneOf<T>(list: readonly T[], which: number): T {
  const one = list[Math.floor(which * list.length)]
  if (one === undefined) throw new Error('there is none to choose from')
  return one
}

/** Cuts or slows for a time. */
async function during(forMs: number, begin: () => void, end: () => void): Promise<void> {
  begin()
  await sleep(forMs)
  end()
}

async function outage(stage: Stage, how: 'fast' | 'immediate', forMs: number): Promise<void> {
  await stage.postgres.stop(how)
  await sleep(forMs)
  await stage.postgres.start()
}

type Cause = (stage: Stage, trouble: Trouble) => Promise<void>

const causes: Readonly<Record<TroubleKind, Cause>> = {
  'kill an agent': ({ agents }, { which, forMs }) => oneOf(agents, which).process.kill(forMs),
  'kill a server': ({ servers }, { which, forMs }) => oneOf(servers, which).process.kill(forMs),
  'stop an agent': ({ agents }, { which, forMs }) => {
    const { process } = oneOf(agents, which)
    return during(
      forMs,
      () => process.signal('SIGSTOP'),
      () => process.signal('SIGCONT'),
    )
  },
  'stop a server': ({ servers }, { which, forMs }) => {
    const { process } = oneOf(servers, which)
    return during(
      forMs,
      () => process.signal('SIGSTOP'),
      () => process.signal('SIGCONT'),
    )
  },
  'cut an agent off': ({ agents }, { which, forMs }) => {
    const { way } = oneOf(agents, which)
    return during(forMs, way.cut, way.heal)
  },
  'slow an agent’s way': ({ agents }, { which, forMs, amount }) => {
    const { way } = oneOf(agents, which)
    return during(forMs, () => way.slow(amount * slowestMs), way.heal)
  },
  'cut a server off': ({ servers }, { which, forMs }) => {
    const { way } = oneOf(servers, which)
    return during(forMs, way.cut, way.heal)
  },
  'slow a server’s way': ({ servers }, { which, forMs, amount }) => {
    const { way } = oneOf(servers, which)
    return during(forMs, () => way.slow((amount * slowestMs) / 10), way.heal)
  },
  'cut the target off': ({ target }, { forMs }) => during(forMs, target.cut, target.heal),
  'slow the target’s way': ({ target }, { forMs, amount }) =>
    during(forMs, () => target.slow(amount * slowestMs), target.heal),
  'restart the database': (stage, { forMs }) => outage(stage, 'fast', forMs),
  'crash the database': (stage, { forMs }) => outage(stage, 'immediate', forMs),
  'freeze the database': ({ postgres }, { forMs }) => during(forMs, postgres.freeze, postgres.thaw),
  'fill an outbox’s disk': ({ agents }, { which, forMs }) => {
    const { disk } = oneOf(agents, which)
    return during(
      forMs,
      () => disk.fill(),
      () => disk.free(),
    )
  },
  'step an agent’s clock': async ({ agents }, { which, amount }) => {
    oneOf(agents, which).process.tell(String(Math.round((amount - 0.5) * 2 * longestStepMs)))
  },
}

export interface Happened {
  readonly kind: TroubleKind
  readonly fromMs: number
  readonly untilMs: number
}

/** Causes what is planned, each at its time after the start; what would meet a subject in trouble is left out. */
export async function causeAll(
  stage: Stage,
  plan: readonly Trouble[],
  say: (text: string) => void,
): Promise<Happened[]> {
  const startedAt = Date.now()
  const busy = new Set<string>()
  const happened: Happened[] = []
  const under: Promise<void>[] = []
  const cause = async (trouble: Trouble, subject: string) => {
    const fromMs = Date.now()
    busy.add(subject)
    await causes[trouble.kind](stage, trouble)
    busy.delete(subject)
    happened.push({ kind: trouble.kind, fromMs, untilMs: Date.now() })
  }
  for (const trouble of plan) {
    await sleep(Math.max(0, startedAt + trouble.atMs - Date.now()))
    const subject = subjectOf(trouble)
    if (busy.has(subject)) continue
    say(`${Math.round(trouble.atMs / 1000)} s: ${trouble.kind} for ${trouble.forMs} ms (${subject})`)
    under.push(cause(trouble, subject))
  }
  await Promise.all(under)
  return happened
}
