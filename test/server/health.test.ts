import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { readServerConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/start-server.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { logLines } from '../support/log-lines.ts'

test('GET /health needs no key and says 503 while the database cannot be written, and 200 again by itself after that', async () => {
  const dir = await makeDataDir()
  const { logger, lines } = logLines()
  const config = readServerConfig({ PICKET_DATA_DIR: dir, PICKET_PORT: '0' })
  const server = await startServer({ config, logger, clock: systemClock, version: '1.2.3' })
  onTestFinished(() => server.close())
  const health = async () => {
    const response = await fetch(`${server.url}/health`)
    return { status: response.status, ...((await response.json()) as object) }
  }
  expect(await health()).toEqual({
    status: 'ok',
    version: '1.2.3',
    database: 'ok',
    failingLoops: [],
  })
  const script = join(import.meta.dirname, '../support/hold-file.ts')
  const holder = spawn(process.execPath, [script, join(dir, 'picket.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await expect
    // One after the other the loops wait for the file before they fail.
    .poll(health, { timeout: 40_000 })
    .toMatchObject({ status: 'unavailable', failingLoops: expect.arrayContaining(['planning runs']) })
  expect((await health()) as object).toMatchObject({ database: expect.stringMatching(/busy|in time/) })
  holder.stdin.end()
  await expect.poll(health, { timeout: 15_000 }).toMatchObject({ status: 'ok', failingLoops: [] })
  expect(lines.some(({ msg }) => msg === 'planning runs failed and is tried again')).toBe(true)
}, 80_000)
