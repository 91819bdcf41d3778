import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type OutboxOptions, openOutbox } from '../../../src/agent/outbox/outbox.ts'
import { makeDataDir } from '../../support/data-dir.ts'
import { finishedResult } from '../../support/finished-result.ts'
import { logLevel, logLines } from '../../support/log-lines.ts'

async function setUp(options: Partial<OutboxOptions> = {}) {
  const dataDir = options.dataDir ?? (await makeDataDir())
  const { logger, lines } = logLines()
  const onDropped = vi.fn<OutboxOptions['onDropped']>()
  const onStored = vi.fn<() => void>()
  const outbox = await openOutbox({
    dataDir,
    agentId: 'a',
    maxBytes: 1e6,
    maxAgeMs: 3_600_000,
    logger,
    onDropped,
    onStored,
    ...options,
  })
  onTestFinished(() => outbox.close())
  return { outbox, dataDir, lines, onDropped, onStored }
}

describe('the outbox', () => {
  test('has a result on the disk when it says so', async () => {
    const { outbox, dataDir, onStored } = await setUp()
    const results = Array.from({ length: 200 }, () => finishedResult())
    await Promise.all(results.map((result) => outbox.put(result)))
    expect(onStored).toHaveBeenCalledTimes(200)
    expect(outbox.stats.depth).toBe(200)
    await outbox.close()
    const file = new DatabaseSync(join(dataDir, 'outbox.db'))
    const bodies = file.prepare('SELECT body FROM records ORDER BY seq').all()
    expect(bodies.map(({ body }) => JSON.parse(String(body)))).toEqual(results)
    file.close()
  })

  test('says once that the disk takes nothing, however many results wait, and stores them all when it does', async () => {
    const { outbox, dataDir } = await setUp()
    await outbox.close()
    const file = new DatabaseSync(join(dataDir, 'outbox.db'))
    const until = Date.now() / 1000 + 0.5
    file.exec(`CREATE TRIGGER full BEFORE INSERT ON records WHEN unixepoch('subsec') < ${until}
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
    file.close()
    const again = await setUp({ dataDir })
    await Promise.all(Array.from({ length: 20 }, () => again.outbox.put(finishedResult())))
    expect(again.outbox.stats.depth).toBe(20)
    expect(again.lines.map(({ level }) => level)).toEqual([logLevel.error, 30])
  })

  test('says which records it dropped, and why', async () => {
    const { outbox, onDropped, lines } = await setUp({ maxBytes: 1000 })
    await outbox.put(finishedResult())
    await outbox.put(finishedResult())
    expect(onDropped).toHaveBeenCalledWith('size', 1)
    expect(lines).toMatchObject([{ level: logLevel.warn, reason: 'size', records: 1 }])
  })

  test('is for one agent at a time', async () => {
    const { dataDir } = await setUp()
    await expect(setUp({ dataDir })).rejects.toMatchObject({ code: 'OUTBOX_IN_USE', fatal: true })
  })

  test('names a folder in which it cannot be', async () => {
    await expect(setUp({ dataDir: '/dev/null' })).rejects.toMatchObject({ code: 'OUTBOX_UNUSABLE' })
  })

  test('can be closed twice, and takes nothing afterwards', async () => {
    const { outbox } = await setUp()
    await outbox.close()
    await outbox.close()
    await expect(outbox.put(finishedResult())).rejects.toMatchObject({ code: 'OUTBOX_GONE' })
  })
})
