import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { Proxies } from './config.ts'

const keepAlive = { keepAliveTimeout: 30_000, connect: { timeout: 10_000 } }

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Connections to the service, kept alive; through a proxy where one is set. Loopback is never sent to a proxy. */
export function serviceDispatcher(serviceUrl: URL, proxies: Proxies): Dispatcher {
  const { https, http, none } = proxies
  if ((!https && !http) || loopback.test(serviceUrl.hostname)) return new Agent(keepAlive)
  // An empty text, unlike none, keeps the library from reading the environment by itself.
  return new EnvHttpProxyAgent({
    ...keepAlive,
    httpsProxy: https?.reveal() ?? '',
    httpProxy: http?.reveal() ?? '',
    noProxy: none,
  })
}
