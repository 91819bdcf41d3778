import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import type {
  ClaimRequest,
  ClaimResponse,
  DefinitionsRequest,
  ResultsRequest,
} from '../../src/contract/agent-protocol.ts'
import type { Schedules, SchedulesRequest, SchedulesResponse } from '../../src/contract/agent-schedules.ts'
import type { Result } from '../../src/contract/result.ts'
import type { CheckDefinition, Run } from '../../src/contract/run.ts'
import { answerParent, listenAndSay } from './child.ts'

export const location = 'eu-west-1'

/** What a stand-in for the service does. The rest of the agents' protocol is the same for all. */
export interface StandIn {
  /** As soon as there are runs, or none after `waitMs`, or when whoever asks is gone. */
  readonly claim: (request: ClaimRequest, gone: AbortSignal) => Promise<readonly Run[]> | readonly Run[]
  readonly definition: (checkId: string) => CheckDefinition
  /** What an agent may go on with by itself; nothing unless given. */
  readonly schedules?: () => Schedules
  readonly onResults: (results: readonly Result[]) => void
  /** To a question of the parent. */
  readonly report: (question: unknown) => unknown
  /** Before each request is dealt with. */
  readonly interfere?: (path: string, response: ServerResponse) => Promise<Interference>
}

/** answered: there is nothing more to do; lost: it is dealt with, and the answer does not arrive. */
export type Interference = 'none' | 'answered' | 'lost'

/** Stands in for the service, in a process of its own: only the agent's work is on the agent's account. */
export async function serveAgents(standIn: StandIn): Promise<void> {
  answerParent(standIn.report)
  await listenAndSay(createServer((request, response) => void answer(standIn, request, response)))
}

async function answer(standIn: StandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const packed = request.headers['content-encoding'] === 'gzip'
  const body = await json(packed ? request.pipe(createGunzip()) : request)
  const path = request.url ?? ''
  const interference = await standIn.interfere?.(path, response)
  if (interference === 'answered') return
  const route = routes[path]
  // The agent's messages are of the shape that the route takes.
  const answered = await route?.(standIn, body as never, gone.signal)
  if (interference === 'lost') response.destroy()
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(answered ?? {}))
}

type Route = (standIn: StandIn, body: never, gone: AbortSignal) => unknown

const routes: Readonly<Record<string, Route>> = {
  '/agent/v1/claims': async ({ claim }, request: ClaimRequest, gone): Promise<ClaimResponse> => {
    const runs = await claim(request, gone)
    return { serverTime: Date.now(), proxyUrl: null, runs: [...runs] }
  },
  '/agent/v1/definitions': ({ definition }, { checkIds }: DefinitionsRequest) => ({
    definitions: checkIds.map((checkId) => ({ ...definition(checkId), checkId })),
  }),
  '/agent/v1/schedules': ({ schedules }, { known }: SchedulesRequest): SchedulesResponse => {
    const all = schedules?.() ?? { locations: [], checks: [], windows: [] }
    return { serverTime: Date.now(), revision: '1', schedules: known === null ? all : null }
  },
  '/agent/v1/leases': () => ({ serverTime: Date.now(), lost: [] }),
  '/agent/v1/releases': () => ({ released: 0 }),
  '/agent/v1/results': ({ onResults }, { results }: ResultsRequest) => {
    onResults(results)
    return { accepted: results.length, refused: [] }
  },
}

/** A first attempt. Each call is another slot. */
export function runOf(id: string, checkId: string, dueAt: number, intervalMs: number): Run {
  const slot = { id, checkId, version: 1, location, dueAt, intervalMs }
  return { ...slot, attempt: 1, attemptAt: dueAt, firstStartedAt: null }
}

export const isPassing = ({ conclusion }: Result): boolean =>
  conclusion.kind === 'judged' && conclusion.verdict.state === 'passing'
