import type { Logger } from '../../lib/logger.ts'
import { type CanaryReason, decide, type Findings, questionsAbout } from '../../rules/own-fault.ts'
import { type Canary, createEgressCanaries } from '../../runner/canary/egress-canary.ts'
import { createNameServers, type NameServerOptions } from '../../runner/canary/name-server-canary.ts'
import { families, familiesOf, RouteCanary, routeTo } from '../../runner/canary/route-canary.ts'
import { SharedQuestion } from '../../runner/canary/shared-question.ts'
import { withoutEgress, withoutResolver, withoutRoute, withoutSockets } from './own-fault-texts.ts'
import type { Finding } from './own-trouble.ts'
import type { Attempt } from './stall-finder.ts'

export interface CanariesOptions extends NameServerOptions {
  readonly logger: Logger
  readonly monotonicMs: () => number
  /** What can be reached whenever the network of the location is well (PICKET_CANARIES). */
  readonly canaries: readonly Canary[]
  /** Instead of none: the service, unless it is on this machine or behind a proxy. */
  readonly defaultCanary: Canary | null
}

export interface Canaries {
  /** What of ours is at fault; null is the target's fault. Takes 4 s at most. */
  find(attempt: Attempt): Promise<Finding | null>
  close(): void
}

const nameServerMs = 2000
const egressMs = 3000

/** Asks what an attempt's failure makes doubtful, all at once. */
export function createCanaries(options: CanariesOptions): Canaries {
  const { logger, monotonicMs, defaultCanary } = options
  const preset = defaultCanary ? [defaultCanary] : []
  const canaries = options.canaries.length > 0 ? options.canaries : preset
  const nameServers = createNameServers(options)
  const askNameServers = new SharedQuestion({ ask: nameServers.ask, limitMs: nameServerMs, monotonicMs })
  const askEgress = new SharedQuestion({
    ask: createEgressCanaries(canaries),
    limitMs: egressMs,
    monotonicMs,
  })
  const routes = new RouteCanary()
  let complained = false

  async function ask({ outcome }: Attempt): Promise<Findings> {
    const questions = questionsAbout(outcome)
    const [heard, route, anyRoute, egress] = await Promise.all([
      questions.nameServers ? askNameServers.ask() : null,
      questions.unrouted.length > 0 ? routes.ask(questions.unrouted) : null,
      questions.anyRoute ? routes.askForAny(families) : null,
      questions.egress && canaries.length > 0 ? askEgress.ask() : null,
    ])
    if (egress === 'unknown' && !complained) {
      complained = true
      logger.warn('no canary has a name that exists: look at PICKET_CANARIES')
    }
    return { nameServers: heard, route, anyRoute, egress }
  }

  function finding(reason: CanaryReason, { outcome }: Attempt): Finding {
    switch (reason) {
      case 'out-of-sockets':
        return {
          about: reason,
          fault: withoutSockets,
          isOver: async () => (await routeTo('127.0.0.1')) !== 'no-socket',
        }
      case 'no-route': {
        const { unrouted } = questionsAbout(outcome)
        const tried = unrouted.length > 0 ? familiesOf(unrouted) : families
        return {
          about: `${reason} ${tried}`,
          fault: withoutRoute(tried),
          isOver: async () => (await routes.askForAny(tried)) === 'route',
        }
      }
      case 'no-egress':
        return {
          about: reason,
          fault: withoutEgress(canaries),
          isOver: async () => (await askEgress.ask()) === 'answered',
        }
      case 'resolver-unreachable':
        return {
          about: reason,
          fault: withoutResolver(nameServers.list()),
          isOver: async () => ['all', 'some'].includes((await askNameServers.ask()) ?? ''),
        }
    }
  }

  return {
    find: async (attempt) => {
      if (attempt.outcome.kind === 'observed') return null
      const reason = decide(await ask(attempt), attempt.outcome.cause)
      return reason && finding(reason, attempt)
    },
    close: () => {
      askNameServers.close()
      askEgress.close()
    },
  }
}
