import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { insertSchedule } from '../../src/storage/schedule-history.ts'
import { startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

async function audit(dataDir: string, ...args: string[]) {
  const picket = startPicket(['audit', ...args], { PICKET_DATA_DIR: dataDir })
  const exitCode = await picket.exit()
  return { exitCode, stdout: picket.stdout(), stderr: picket.stderr() }
}

async function dataDirOfTest(): Promise<string> {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  return dir
}

async function dataDirWithDatabase(): Promise<string> {
  const dir = await dataDirOfTest()
  const database = await openDatabase(`sqlite:${join(dir, 'picket.db')}`)
  await migrate(database)
  await database.close()
  return dir
}

test('an empty ledger is sound: exit code 0', async () => {
  const { exitCode, stdout } = await audit(await dataDirWithDatabase())
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/slots expected +0\n/)
})

test('where no service ever was, no ledger is made up and called sound: exit code 2', async () => {
  const dir = await dataDirOfTest()
  const { exitCode, stdout, stderr } = await audit(dir)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`There is no database at ${join(dir, 'picket.db')}`)
  expect(await readdir(dir)).toEqual([])
})

test('a database of an earlier version is left as it is, for the service that may run on it: exit code 2', async () => {
  const dir = await dataDirWithDatabase()
  const database = await openDatabase(`sqlite:${join(dir, 'picket.db')}`)
  const last = migrations.at(-1)?.name ?? ''
  await database.kysely.deleteFrom('migrations').where('name', '=', last).execute()
  const { exitCode, stdout, stderr } = await audit(dir)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain('The database schema is older than this version of Picket')
  expect(stderr).toContain('`picket migrate`')
  const applied = await database.kysely.selectFrom('migrations').select('name').execute()
  expect(applied.map(({ name }) => name)).not.toContain(last)
  await database.close()
})

test('a ledger with gaps is told of with their names, as text and as JSON: exit code 1', async () => {
  const dir = await dataDirOfTest()
  const database = await openDatabase(`sqlite:${join(dir, 'picket.db')}`)
  await migrate(database)
  const now = Date.now()
  await insertSchedule(database.kysely, {
    checkId: 'a check',
    accountId: 'an account',
    fromAt: now - 3 * 60_000,
    state: 'active',
    intervalMs: 1000,
    phaseMs: 0,
    runParallel: 0,
    locations: '["eu-west-1"]',
    turns: 1,
  })
  await database.close()
  const span = ['--from', String(now - 3 * 60_000), '--to', String(now)]
  const told = await audit(dir, ...span)
  expect(told.exitCode).toBe(1)
  expect(told.stdout).toMatch(/gaps +180\n/)
  expect(told.stdout).toMatch(/ {2}a check {2}eu-west-1 {2}20\d\d-.+\n/)
  expect(told.stdout).toContain('… and 80 more')
  const { exitCode, stdout } = await audit(dir, '--json', ...span)
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ sound: false, expected: 180, gaps: { count: 180 } })
})

test.each([
  [['--from', 'soon'], '--from must be an ISO 8601 date'],
  [['--from', '2020-01-01'], '--from must be less than 30 days ago'],
  [['--from', '2999-01-01'], '--from must be before --to'],
])('a range like %j cannot be audited, which says nothing of the ledger: exit code 2', async (args, text) => {
  const { exitCode, stdout, stderr } = await audit(await dataDirOfTest(), ...args)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(text)
})
