import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerAudit } from '../../src/contract/resources/ledger-audit.ts'
import { openRuns } from './verdict.ts'

/** Leases end, and what nobody claimed for 6 minutes is missed. */
const quietWithinMs = 9 * 60_000
const lookEveryMs = 3000

/** Waits until every run that was due until then has its final outcome, for as long as that may take. */
export async function untilQuiet(
  databaseUrl: string,
  untilMs: number,
  say: (text: string) => void,
): Promise<void> {
  const startedAt = Date.now()
  for (let last = -1; Date.now() - startedAt < quietWithinMs; await sleep(lookEveryMs)) {
    const open = await openRuns(databaseUrl, untilMs)
    if (open === 0) return
    if (open !== last) say(`waiting for ${open} runs to end`)
    last = open
  }
}

/** `picket audit` of a span. It ends with 1 where it found a fault, and prints what it found all the same. */
export async function readLedger(
  command: (...args: string[]) => Promise<string>,
  fromMs: number,
  untilMs: number,
): Promise<LedgerAudit> {
  const iso = (ms: number) => new Date(ms).toISOString()
  const printed = command('audit', '--json', '--from', iso(fromMs), '--to', iso(untilMs)).catch(
    (error: unknown) => {
      if (error instanceof Error && 'stdout' in error && String(error.stdout) !== '')
        return String(error.stdout)
      throw error
    },
  )
  return JSON.parse(await printed)
}
