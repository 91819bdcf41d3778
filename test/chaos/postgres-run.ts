import { setTimeout as sleep } from 'node:timers/promises'
import { readLedger, untilQuiet } from './audit.ts'
import { causeAll } from './cause.ts'
import { intervalMs, makeChecks } from './make-checks.ts'
import { planTroubles } from './plan.ts'
import { buildStage } from './stage.ts'
import { judge, type Line } from './verdict.ts'

export interface PostgresOptions {
  readonly seed: number
  readonly slots: number
  readonly checks: number
  readonly say: (text: string) => void
}

/** Two servers on one PostgreSQL and three agents, ill-treated for as long as so many slots take; then the ledger is read. */
export async function chaosOnPostgres({ seed, slots, checks, say }: PostgresOptions): Promise<Line[]> {
  const stage = await buildStage()
  try {
    const slotsAnInterval = await makeChecks(stage.api, stage.targetUrl, checks)
    const forMs = Math.ceil(slots / slotsAnInterval) * intervalMs
    const fromMs = Date.now() + intervalMs
    say(`seed ${seed}: ${slots} slots of ${checks} checks within ${forMs / 1000} s`)
    const plan = planTroubles(seed, forMs)
    const [happened] = await Promise.all([causeAll(stage, plan, say), sleep(forMs + intervalMs)])
    const untilMs = Date.now()
    const kept = stage.told.keptSoFar
    await untilQuiet(stage.databaseUrl, untilMs, say)
    const lines = await judge({
      databaseUrl: stage.databaseUrl,
      told: stage.told,
      kept,
      ledger: await readLedger(stage.command, fromMs, untilMs),
      happened,
      visits: await stage.visits(),
    })
    const endings = [...stage.servers, ...stage.agents].flatMap(({ process }) => process.endings)
    return [...lines, ...endings.map((text): Line => [text, '', false])]
  } finally {
    await stage.strike()
  }
}
