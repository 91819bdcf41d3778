import { rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type OutboxOptions, openOutbox } from '../../../src/agent/outbox/outbox.ts'
import { Secret } from '../../../src/lib/secret.ts'
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
    content: 'results',
    agentId: 'a',
    maxBytes: 1e6,
    maxAgeMs: 3_600_000,
    key: undefined,
    serviceTime: () => null,
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
    const { outbox: again } = await setUp({ dataDir })
    const batch = await again.take(1000, 1e9)
    const { results: kept } = JSON.parse(gunzipSync(batch?.body ?? '').toString())
    expect(kept).toEqual(results)
  })

  test('begins another, and says where the first one is, when its key was changed', async () => {
    const { outbox, dataDir } = await setUp({ key: new Secret('k'.repeat(32)) })
    await outbox.put(finishedResult())
    await outbox.close()
    const { outbox: again, lines } = await setUp({ dataDir, key: new Secret('l'.repeat(32)) })
    expect(again.stats.depth).toBe(0)
    expect(lines).toMatchObject([
      { level: logLevel.error, msg: expect.stringContaining('sealed with another key') },
    ])
    const aside = String(lines[0]?.['path'])
    expect(dirname(aside)).toBe(dataDir)
    await again.close()
    await rename(aside, join(dataDir, 'outbox.db'))
    expect((await setUp({ dataDir, key: new Secret('k'.repeat(32)) })).outbox.stats.depth).toBe(1)
  })

  test('keeps its key for its owner alone, and does not start with half of one', async () => {
    const { outbox, dataDir } = await setUp()
    const path = join(dataDir, 'outbox.key')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await outbox.close()
    await writeFile(path, 'half a key')
    await expect(setUp({ dataDir })).rejects.toMatchObject({ code: 'OUTBOX_KEY_UNUSABLE', fatal: true })
  })

  test('says once that the disk takes nothing, however many results wait, and stores them all when it does', async () => {
    const { outbox, dataDir } = await setUp()
    await outbox.close()
    const file = new DatabaseSync(join(dataDir, 'outbox.db'))
    const until = Date.now() / 1000 + 2
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
    const dataDir = '/dev/null'
    await expect(setUp({ dataDir })).rejects.toMatchObject({ code: 'OUTBOX_KEY_UNUSABLE' })
    const key = new Secret('k'.repeat(32))
    await expect(setUp({ dataDir, key })).rejects.toMatchObject({ code: 'OUTBOX_UNUSABLE' })
  })

  test('can be closed twice, and takes nothing afterwards', async () => {
    const { outbox } = await setUp()
    await outbox.close()
    await outbox.close()
    await expect(outbox.put(finishedResult())).rejects.toMatchObject({ code: 'OUTBOX_GONE' })
  })
})
