import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What they promise of time is not shown on a machine that is busy with other tests. */
const timed = [
  'test/e2e/{black-holes,lateness}.test.ts',
  'test/bench/phase-accuracy.test.ts',
  'test/agent/judging/**/*.test.ts',
  'test/agent/self-doubt/!(networks).test.ts',
  'test/agent/{agent,drain,due-timers,queue,scheduler,stall-watch}.test.ts',
  'test/runner/{body-pieces,cutoff,hostile-checks,phase-timer}.test.ts',
  'test/runner/dial/**/*.test.ts',
  'test/runner/dns/{floods,read-message}.test.ts',
  'test/runner/http/{body-memory,exchange,hostile-targets,journey,run-http-check}.test.ts',
  'test/runner/icmp/run-icmp-check.test.ts',
  'test/runner/tcp/{hostile-targets,real-servers,run-tcp-check}.test.ts',
]
/** They wait for answers, outages and processes for most of the time, and leave the machine to others. */
const waiting = [
  'test/agent/main.test.ts',
  'test/agent/away/**/*.test.ts',
  'test/agent/outbox/**/*.test.ts',
  'test/agent/ping-relay/**/*.test.ts',
  'test/agent/self-doubt/networks.test.ts',
  'test/runner/icmp/network.test.ts',
]
/** They begin first: else one of them is left alone at the end. */
const longest = ['ledger', 'up', 'away', 'chaos', 'ping-relay', 'network', 'nginx', 'checkly-cli']
const unit = ['test/{lib,rules,server}/**/*.test.ts']
const storage = ['test/storage/**/*.test.ts']
const e2e = ['test/e2e/**/*.test.ts', ...waiting]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.indexOf(basename(moduleId, '.test.ts'))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: unit,
          // What they load and compile serves the next of them, too: half the time of all.
          isolate: false,
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...timed, ...storage, ...e2e],
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
          isolate: false,
          maxWorkers: '100%',
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'timed',
          include: timed,
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
