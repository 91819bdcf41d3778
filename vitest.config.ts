import { defineConfig } from 'vitest/config'

/** What they promise of time is not shown on a machine that is busy with other tests. */
const timed = ['test/e2e/black-holes.test.ts', 'test/e2e/lateness.test.ts']
/** They wait for answers, outages and processes for most of the time, and leave the machine to others. */
const waiting = [
  'test/agent/main.test.ts',
  'test/agent/away/**/*.test.ts',
  'test/agent/outbox/**/*.test.ts',
  'test/agent/ping-relay/**/*.test.ts',
  'test/agent/self-doubt/networks.test.ts',
  'test/runner/icmp/network.test.ts',
]
const probing = ['test/agent/**/*.test.ts', 'test/bench/**/*.test.ts', 'test/runner/**/*.test.ts', ...timed]
const storage = ['test/storage/**/*.test.ts']
const e2e = ['test/e2e/**/*.test.ts', ...waiting]

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...probing, ...storage, ...e2e],
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'storage',
          include: storage,
          globalSetup: ['test/support/postgres-server.ts'],
          maxWorkers: '100%',
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'probing',
          include: probing,
          exclude: waiting,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: e2e,
          exclude: timed,
          globalSetup: ['test/support/postgres-server.ts'],
          // More than processors: each waits for its processes, and for the time that a promise takes.
          maxWorkers: 6,
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
