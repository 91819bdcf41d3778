import { type Daemon, exitCodes, runDaemon } from '../lib/daemon.ts'
import type { Logger } from '../lib/logger.ts'
import { packageVersion } from '../lib/package-version.ts'
import { type RunningAgent, startAgent } from './agent.ts'
import type { AgentConfig } from './config.ts'
import { discreetLogger } from './discreet-logger.ts'

/** Runs the agent until it is told to stop. Ends the process. */
export function runAgent(config: AgentConfig, told: Logger): Promise<void> {
  const logger = discreetLogger(told)
  const start = async (): Promise<Daemon> => {
    const version = packageVersion()
    const agent = await startAgent(config, { logger, version })
    const { healthPort } = agent
    logger.info({ version, healthPort, concurrency: config.concurrency }, 'the agent is ready')
    process.send?.({ kind: 'ready' })
    endWhenFailed(agent, logger)
    return {
      stop: () => agent.drain(),
      hurry: () => agent.skipGrace(),
      onCrash: (error) => agent.reportError(error),
    }
  }
  return runDaemon(start, logger)
}

/** Whoever started the process starts a new one: what was stored is sent by that. */
function endWhenFailed(agent: RunningAgent, logger: Logger): void {
  agent.failed.catch((error: unknown) => {
    logger.fatal({ err: error }, 'the agent cannot go on')
    void agent.reportError(error).finally(() => process.exit(exitCodes.failed))
  })
}
