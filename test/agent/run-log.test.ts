import { describe, expect, test, vi } from 'vitest'
import type { RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'
import { dueRun } from '../support/due-run.ts'
import type { LogLine } from '../support/log-lines.ts'
import { startFakeService, startTestAgent } from '../support/test-agent.ts'

const debugLevel = 20

/** What an agent says at debug level of one run, from its claim to its upload. */
async function linesOf(runCheck: RunCheck): Promise<{ readonly runId: string; readonly lines: LogLine[] }> {
  const service = await startFakeService()
  service.define({
    ...apiDefinition('http://user:hunter2@target.test/private?token=hunter2'),
    variables: [{ key: 'TOKEN', value: 'hunter2', locked: false, secret: true }],
  })
  const run = dueRun()
  const { log } = await startTestAgent({ service, runCheck })
  service.enqueue(run)
  const lines = () => log.filter(({ level }) => level === debugLevel)
  await vi.waitFor(() => expect(lines().at(-1)?.msg).toBe('results were uploaded'))
  return { runId: run.id, lines: lines() }
}

describe('at debug level an agent', () => {
  test('says of a run when it is claimed, begun, judged and uploaded', async () => {
    const { runId, lines } = await linesOf(async () => observed({}, 12.5))
    const ids = { runId, checkId: apiDefinition('http://a.test/').checkId, location: 'eu-west-1' }
    expect(lines).toMatchObject([
      { msg: 'a run was claimed', ...ids, dueAt: expect.any(Number) },
      { msg: 'an attempt begins', ...ids, attempt: 1 },
      {
        msg: 'an attempt is over and its result on disk',
        ...{
          ...ids,
          attempt: 1,
          resultType: 'FINAL',
          verdict: 'passing',
          responseTimeMs: 12.5,
          failure: null,
        },
      },
      { msg: 'results were uploaded', accepted: 1, refused: 0 },
    ])
  })

  test('says how a target failed by its class, and nothing that a check or its target wrote', async () => {
    const { lines } = await linesOf(async () => unreachable('reset'))
    expect(lines).toContainEqual(expect.objectContaining({ verdict: 'failing', failure: 'reset' }))
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|target\.test|private|it failed/)
  })

  test('says why a run tells nothing of its target', async () => {
    const { lines } = await linesOf(async () => {
      throw new TypeError('hunter2')
    })
    expect(lines).toContainEqual(expect.objectContaining({ verdict: 'errored', reason: 'agent-fault' }))
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })
})
