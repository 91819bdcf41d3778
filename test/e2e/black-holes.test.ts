import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { apiDefinition } from '../support/api-definition.ts'
import { dueRun } from '../support/due-run.ts'
import { FakeService } from '../support/fake-service.ts'
import { startHttpTarget } from '../support/http-target.ts'
import { startPicket } from '../support/picket-process.ts'
import { startTcpTarget } from '../support/tcp-target.ts'

async function startAgent(service: FakeService): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-black-holes-'))
  const agent = startPicket(['agent'], {
    API_URL: service.url,
    API_KEY: 'pl_black-holes-black-holes',
    AGENT_HEALTH_HOST: '127.0.0.1',
    AGENT_HEALTH_PORT: '0',
    PICKET_DATA_DIR: dir,
  })
  onTestFinished(async () => {
    agent.signal('SIGKILL')
    await agent.exit()
    await rm(dir, { recursive: true, force: true })
  })
  await agent.logged('the agent is ready')
}

test('1,000 checks due at once, 300 of them to targets that never answer: the other 700 keep time and verdict', async () => {
  const service = await FakeService.start()
  onTestFinished(() => service.close())
  const target = await startHttpTarget({ '/': (response) => response.end('ok') })
  onTestFinished(() => target[Symbol.asyncDispose]())
  const hole = await startTcpTarget(() => {})
  onTestFinished(() => hole[Symbol.asyncDispose]())
  const good = { ...apiDefinition(target.origin), checkId: randomUUID() }
  const dead = { ...apiDefinition(hole.origin), checkId: randomUUID() }
  service.define(good, dead)
  await startAgent(service)

  const dueAt = service.now() + 1500
  const runs = Array.from({ length: 1000 }, (_, n) =>
    dueRun({ dueAt, checkId: n % 10 < 3 ? dead.checkId : good.checkId }),
  )
  service.enqueue(...runs)
  await vi.waitFor(() => expect(service.results).toHaveLength(700), { timeout: 25_000, interval: 50 })

  expect(service.results.every(({ checkId }) => checkId === good.checkId)).toBe(true)
  for (const { conclusion } of service.results) {
    expect(conclusion).toMatchObject({ kind: 'judged', verdict: { state: 'passing' } })
  }
  // Far below the 30 s that the others wait for their targets, however busy this machine is.
  expect(Math.max(...service.results.map(({ queueUs }) => queueUs / 1000))).toBeLessThan(10_000)
})
