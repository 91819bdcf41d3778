import { connect } from 'node:net'
import { sleep } from '../../lib/sleep.ts'
import type { EgressAnswer } from '../../rules/own-fault.ts'
import { CanaryAddresses } from './canary-addresses.ts'
import { isOutOfSockets } from './route-canary.ts'

/** What can be reached whenever the network of the location is well. */
export interface Canary {
  /** A name, or an IP literal without brackets. */
  readonly host: string
  readonly port: number
}

/** Dials all at once, until the signal ends it: one that answers is enough. Never rejects. */
export type AskCanaries = (signal: AbortSignal) => Promise<EgressAnswer>

/** The rest is for dialing. */
const lookUpMs = 1000

export function createEgressCanaries(canaries: readonly Canary[]): AskCanaries {
  const book = new CanaryAddresses(canaries.map(({ host }) => host))
  return async (signal) => {
    await Promise.race([book.refresh(), sleep(lookUpMs, signal)])
    const known = canaries.map(({ host, port }) => ({ port, found: book.of(host) }))
    const dials = known.flatMap(({ port, found }) =>
      found.kind === 'known' ? found.addresses.map((host) => dial({ host, port }, signal)) : [],
    )
    if (dials.length > 0) return firstAnswer(dials)
    return known.some(({ found }) => found.kind === 'unresolved') ? 'unresolved' : 'unknown'
  }
}

type Answer = 'answered' | 'silent' | 'no-socket'

/** A refusal is an answer as well: packets go and come. */
const answers: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET'])

function dial({ host, port }: Canary, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('silent')
    const socket = connect({ host, port, autoSelectFamily: false })
    const end = (answer: Answer) => {
      signal.removeEventListener('abort', silence)
      socket.destroy()
      resolve(answer)
    }
    const silence = () => end('silent')
    signal.addEventListener('abort', silence)
    socket.on('connect', () => end('answered')).on('error', (error) => end(meaning(error)))
  })
}

function meaning(error: Error): Answer {
  if (isOutOfSockets(error)) return 'no-socket'
  return 'code' in error && answers.has(String(error.code)) ? 'answered' : 'silent'
}

function firstAnswer(dials: readonly Promise<Answer>[]): Promise<Answer> {
  return new Promise((resolve) => {
    for (const dialed of dials) void dialed.then((answer) => answer === 'answered' && resolve(answer))
    void Promise.all(dials).then((all) => resolve(all.includes('no-socket') ? 'no-socket' : 'silent'))
  })
}
