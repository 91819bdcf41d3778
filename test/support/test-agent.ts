import { onTestFinished } from 'vitest'
import { type RunningAgent, startAgent } from '../../src/agent/agent.ts'
import { readAgentConfig } from '../../src/agent/config.ts'
import type { RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from './api-definition.ts'
import { observed } from './api-outcomes.ts'
import { makeDataDir } from './data-dir.ts'
import { FakeService } from './fake-service.ts'
import { type LogLine, logLines } from './log-lines.ts'

export interface TestAgentOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly runCheck?: RunCheck
  readonly service?: FakeService
}

export interface TestAgent {
  readonly agent: RunningAgent
  readonly service: FakeService
  readonly log: LogLine[]
  readonly dataDir: string
  /** GET of a health endpoint: its status and text. */
  health(path: string): Promise<{ readonly status: number; readonly text: string }>
}

export const agentKey = 'pl_the-key-of-the-tests'

/** A fake service that knows one check, closed when the test is over. */
export async function startFakeService(): Promise<FakeService> {
  const service = await FakeService.start()
  service.define(apiDefinition('http://target.test/'))
  onTestFinished(() => service.close())
  return service
}

/** A whole agent before a fake service; its checks pass at once unless told otherwise. */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const service = options.service ?? (await startFakeService())
  const { logger, lines } = logLines()
  const config = readAgentConfig({
    API_URL: service.url,
    API_KEY: agentKey,
    AGENT_HEALTH_HOST: '127.0.0.1',
    AGENT_HEALTH_PORT: '0',
    PICKET_DATA_DIR: await makeDataDir(),
    ...options.env,
  })
  const runCheck = options.runCheck ?? (async () => observed({}))
  const agent = await startAgent(config, { logger, version: '1.2.3', runCheck })
  onTestFinished(async () => {
    agent.skipGrace()
    await agent.drain()
  })
  return {
    agent,
    service,
    log: lines,
    dataDir: config.dataDir,
    health: async (path) => {
      const response = await fetch(`http://127.0.0.1:${agent.healthPort}${path}`)
      return { status: response.status, text: await response.text() }
    },
  }
}
