import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/storage/**', 'test/e2e/**'],
        },
      },
      {
        test: {
          name: 'storage',
          include: ['test/storage/**/*.test.ts'],
          globalSetup: ['test/support/postgres-server.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/postgres-server.ts'],
          fileParallelism: false,
          // After the others: what is promised of real processes in time is not shown on a machine that is busy with tests.
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
