import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import type { NameServersAnswer } from '../../rules/own-fault.ts'
import { routeTo } from './route-canary.ts'

export interface NameServerOptions {
  /** `127.0.0.1:5353`; the machine's own where none are named. */
  readonly nameServers?: readonly string[]
  readonly useOsDnsResolver: boolean
}

export interface NameServers {
  /** Those that are asked, as text. */
  readonly list: () => readonly string[]
  /** Asks each for the name servers of the root, which all can answer, until the signal ends it. Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<NameServersAnswer>
}

/** The signal ends the wait: the library looks at its own limit once a second only. */
const answerMs = 3000

/** Our own lack of an answer; every other code is a name server's word: it lives. */
const silent: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EDESTRUCTION'])

type Answer = 'alive' | 'deaf' | 'no-socket'

/** The name servers that checks are resolved with, and a question that tells whether they live. */
export function createNameServers({ nameServers, useOsDnsResolver }: NameServerOptions): NameServers {
  return {
    list: () => resolverOf(nameServers).getServers(),
    ask: async (signal) => {
      // The machine's own may have changed since they were last asked.
      const all = resolverOf(nameServers)
      const servers = all.getServers()
      const answers =
        useOsDnsResolver && servers.some(isLinkLocal)
          ? [askForRoot(all, signal)]
          : servers.map((server) => askServer(server, signal))
      return summary(await Promise.all(answers))
    },
  }
}

function resolverOf(nameServers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 })
  if (nameServers) resolver.setServers([...nameServers])
  return resolver
}

/** The library does not tell its network card with it: the operating system asks such a server, and we only among all. */
const isLinkLocal = (server: string) => /^\[?fe80:/i.test(server)

async function askServer(server: string, signal: AbortSignal): Promise<Answer> {
  // A resolver without a socket says the same as one whose server refuses.
  const way = await routeTo(addressOf(server))
  if (way !== 'route') return way === 'no-socket' ? way : 'deaf'
  return askForRoot(resolverOf([server]), signal)
}

/** `127.0.0.1:5353` and `[::1]:53` without their port. */
function addressOf(server: string): string {
  return isIP(server) ? server : server.replace(/^\[?(.+?)\]?:\d+$/, '$1')
}

function askForRoot(resolver: Resolver, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('deaf')
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    resolver.resolveNs('.', (error) => {
      signal.removeEventListener('abort', cancel)
      resolve(error && silent.has(error.code ?? '') ? 'deaf' : 'alive')
    })
  })
}

function summary(answers: readonly Answer[]): NameServersAnswer {
  const alive = answers.filter((answer) => answer === 'alive').length
  if (alive > 0) return alive === answers.length ? 'all' : 'some'
  return answers.includes('no-socket') ? 'no-socket' : 'none'
}
