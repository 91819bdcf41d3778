import { randomFrom } from './random.ts'

/** How often each happens beside the others, for how long at most, and what it meets. */
const kinds = {
  'kill an agent': { weight: 4, maxMs: 4000, of: 'agent', part: 'process' },
  'kill a server': { weight: 3, maxMs: 4000, of: 'server', part: 'process' },
  'stop an agent': { weight: 3, maxMs: 15_000, of: 'agent', part: 'process' },
  'stop a server': { weight: 2, maxMs: 10_000, of: 'server', part: 'process' },
  'cut an agent off': { weight: 3, maxMs: 20_000, of: 'agent', part: 'way' },
  'slow an agent’s way': { weight: 2, maxMs: 20_000, of: 'agent', part: 'way' },
  'cut a server off': { weight: 3, maxMs: 12_000, of: 'server', part: 'way' },
  'slow a server’s way': { weight: 2, maxMs: 15_000, of: 'server', part: 'way' },
  'cut the target off': { weight: 1, maxMs: 4000, of: 'target', part: 'way' },
  'slow the target’s way': { weight: 2, maxMs: 10_000, of: 'target', part: 'way' },
  'restart the database': { weight: 1, maxMs: 3000, of: 'database', part: 'process' },
  'crash the database': { weight: 1, maxMs: 3000, of: 'database', part: 'process' },
  'freeze the database': { weight: 1, maxMs: 8000, of: 'database', part: 'process' },
  'fill an outbox’s disk': { weight: 2, maxMs: 15_000, of: 'agent', part: 'disk' },
  'step an agent’s clock': { weight: 2, maxMs: 0, of: 'agent', part: 'clock' },
} as const

export type TroubleKind = keyof typeof kinds
const names = Object.keys(kinds) as TroubleKind[]

export interface Trouble {
  readonly kind: TroubleKind
  /** After the start of the run. */
  readonly atMs: number
  readonly forMs: number
  /** From 0 to below 1: which of several it meets, and how hard. */
  readonly which: number
  readonly amount: number
}

const shortestMs = 300
const betweenMs = { least: 1000, most: 6000 }

/** The same for the same seed. The first comes when everything has found its pace, the last is over at `untilMs`. */
export function planTroubles(seed: number, untilMs: number): Trouble[] {
  const random = randomFrom(seed)
  const plan: Trouble[] = []
  for (let atMs = 12_000; ; atMs += betweenMs.least + random() * (betweenMs.most - betweenMs.least)) {
    const kind = pick(random())
    const forMs = Math.round(shortestMs + random() * kinds[kind].maxMs)
    const trouble = { kind, atMs: Math.round(atMs), forMs, which: random(), amount: random() }
    if (atMs >= untilMs) return plan
    if (atMs + forMs < untilMs) plan.push(trouble)
  }
}

const counts = { agent: 3, server: 2, target: 1, database: 1 } as const

/** What no two troubles may meet at once: the end of one would end the other early. */
export function subjectOf({ kind, which }: Trouble): string {
  const { of, part } = kinds[kind]
  return `${part} of ${of} ${Math.floor(which * counts[of])}`
}

function pick(at: number): TroubleKind {
  let left = at * names.reduce((sum, name) => sum + kinds[name].weight, 0)
  for (const name of names) {
    left -= kinds[name].weight
    if (left < 0) return name
  }
  return 'kill an agent'
}
