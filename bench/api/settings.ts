import { hashId } from '../../src/lib/ids.ts'

/** How much is stored while the service is measured, and how long each operation is. */
export interface Size {
  readonly checks: number
  readonly results: number
}

const number = (name: string, preset: number): number => Number(process.env[name] ?? preset)

export const sizeOf = (results: number): Size => ({
  checks: number('BENCH_CHECKS', 10_000),
  results: number('BENCH_RESULTS', results),
})

/** Of each operation in each round. */
export const seconds = number('BENCH_SECONDS', 3)
export const rounds = number('BENCH_ROUNDS', 3)
export const warmUpSeconds = 3
export const engines = (process.env['BENCH_ENGINES'] ?? 'sqlite,postgres').split(',')

/** The one account of the bench, and what opens it. */
export const accountId = hashId('bench', 'account')
export const apiKey = 'pk_bench-bench-bench-bench-bench'
export const agentKey = 'pl_bench-bench-bench-bench-bench'
export const agentId = hashId('bench', 'agent')
