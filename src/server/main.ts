import { systemClock } from '../lib/clock.ts'
import { type Daemon, runDaemon } from '../lib/daemon.ts'
import type { Logger } from '../lib/logger.ts'
import { packageVersion } from '../lib/package-version.ts'
import type { ServerConfig } from './config.ts'
import { welcome } from './first-account.ts'
import { startServer } from './start-server.ts'

/** What the service tells the process that watches it, over IPC. */
export interface ReadyMessage {
  readonly kind: 'ready'
  readonly url: string
}

/** Runs the service until it is told to stop. Ends the process. */
export function runServer(config: ServerConfig, logger: Logger): Promise<void> {
  const start = async (): Promise<Daemon> => {
    const server = await startServer({ config, logger, clock: systemClock, version: packageVersion() })
    const { url, firstAccount } = server
    logger.info({ url, documentation: `${url}/documentation` }, 'the service is ready')
    if (firstAccount.newKey) process.stderr.write(welcome(firstAccount, url))
    const ready: ReadyMessage = { kind: 'ready', url }
    process.send?.(ready)
    return { stop: () => server.close(), hurry: () => process.exit(1) }
  }
  return runDaemon(start, logger)
}
