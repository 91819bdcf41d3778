import { agentSettings, readAgentConfig } from '../agent/config.ts'
import { type Daemon, runDaemon } from '../lib/daemon.ts'
import type { Fault } from '../lib/find-faults.ts'
import { newKey } from '../lib/ids.ts'
import { SettingsError } from '../lib/settings.ts'
import { readServerConfig, serverSettings } from '../server/config.ts'
import type { ReadyMessage } from '../server/main.ts'
import { processLogger } from './process-logger.ts'
import { watchChild } from './watched-child.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The embedded agent talks to the service over loopback, whatever proxies are set for other traffic. */
const loopback = ['127.0.0.1', '[::1]', 'localhost']

/** The agent has no use for what only the service needs to know: its database, its keys. */
function withoutService(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !(name in serverSettings) || name in agentSettings),
  )
}

function agentEnv(env: Env, key: string, serviceUrl: string): NodeJS.ProcessEnv {
  const noProxy = [env['NO_PROXY'] ?? env['no_proxy'] ?? '', ...loopback]
    .filter((part) => part !== '')
    .join(',')
  return { ...withoutService(env), API_KEY: key, API_URL: serviceUrl, NO_PROXY: noProxy, no_proxy: noProxy }
}

/** The settings of both processes are read here first, so that every fault is named at once. @throws SettingsError */
function assertSettings(env: Env, agent: Env): void {
  const faults: Fault[] = []
  for (const read of [() => readServerConfig(env), () => readAgentConfig(agent)]) {
    try {
      read()
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      const known = new Set(faults.map(({ path }) => path))
      faults.push(...error.faults.filter(({ path }) => !known.has(path)))
    }
  }
  if (faults.length > 0) throw new SettingsError(faults)
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'ready'
}

/**
 * The service and one agent, as two processes that are started, watched and stopped together. Ends the process.
 * @throws SettingsError naming every fault of both
 */
export async function runUp(env: Env): Promise<void> {
  const key = newKey('pl_')
  assertSettings(env, agentEnv(env, key, 'http://127.0.0.1:1'))
  const logger = processLogger('up', env)
  const stopServer = new AbortController()
  const stopAgent = new AbortController()
  const hurry = new AbortController()

  const start = async (): Promise<Daemon> => {
    let serviceUrl = ''
    const { promise: serviceReady, resolve: onReady } = Promise.withResolvers<null>()
    const server = watchChild({
      command: 'server',
      // After its first start the service keeps its port, where the agent looks for it.
      env: () => ({
        ...env,
        PICKET_EMBEDDED_AGENT_KEY: key,
        ...(serviceUrl && { PICKET_PORT: new URL(serviceUrl).port }),
      }),
      logger,
      onMessage: (message) => {
        if (!isReady(message)) return
        serviceUrl = message.url
        onReady(null)
      },
      signal: stopServer.signal,
      hurry: hurry.signal,
    })
    const serverExit = await Promise.race([serviceReady, server])
    if (serverExit !== null) process.exit(serverExit)

    const agent = watchChild({
      command: 'agent',
      env: () => agentEnv(env, key, serviceUrl),
      logger,
      signal: stopAgent.signal,
      hurry: hurry.signal,
    })
    const stop = async (): Promise<void> => {
      stopAgent.abort()
      await agent
      stopServer.abort()
      await server
    }
    // A child that cannot even start once, as with a port in use, ends the whole: it has said why.
    agent.then(
      async (exitCode) => {
        if (stopAgent.signal.aborted) return
        await stop()
        process.exit(exitCode)
      },
      (error: unknown) => logger.error({ err: error }, 'the agent process could not be started'),
    )
    return { stop, hurry: () => hurry.abort() }
  }
  await runDaemon(start, logger)
}
