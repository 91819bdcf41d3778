// `npm run chaos`: real processes, ill-treated by a plan that a seed repeats, and then the audit of what they kept.

import { parseArgs } from 'node:util'
import { chaosOnPostgres } from './postgres-run.ts'
import { chaosOnSqlite } from './sqlite-run.ts'
import type { Line } from './verdict.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string' },
    slots: { type: 'string', default: '10000' },
    checks: { type: 'string', default: '300' },
    kills: { type: 'string', default: '100' },
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
const usage = `node test/chaos/main.ts [postgres | sqlite] [--seed n] [--checks n] [--slots n] [--kills n]
postgres: two servers on one PostgreSQL, three agents, a target; until --slots slots were due.
sqlite: \`picket up\`, killed --kills times at random points.`

const [mode = 'postgres'] = positionals
const numbers = [values.slots, values.checks, values.kills, values.seed ?? '1'].map(Number)
if (values.help) {
  print(usage)
  process.exit(0)
}
if (!['postgres', 'sqlite'].includes(mode) || numbers.some((n) => !Number.isInteger(n) || n < 1)) {
  print(usage)
  process.exit(2)
}

const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) + 1 : Number(values.seed)
const startedAt = Date.now()
const say = (text: string) => print(`[${((Date.now() - startedAt) / 1000).toFixed(0)} s] ${text}`)

function show(lines: readonly Line[]): boolean {
  for (const [name, found, isFault] of lines) {
    print(`${isFault ? '✗' : ' '} ${name.padEnd(42)} ${String(found).padStart(8)}`)
  }
  return lines.every(([, , isFault]) => !isFault)
}

const options = { seed, checks: Number(values.checks), say }
const lines =
  mode === 'sqlite'
    ? await chaosOnSqlite({ ...options, kills: Number(values.kills) })
    : await chaosOnPostgres({ ...options, slots: Number(values.slots) })
const isWell = show(lines)
const amounts = mode === 'sqlite' ? `--kills ${values.kills}` : `--slots ${values.slots}`
print(
  `${isWell ? 'well' : 'NOT WELL'}: node test/chaos/main.ts ${mode} --seed ${seed} --checks ${values.checks} ${amounts}`,
)
process.exit(isWell ? 0 : 1)
