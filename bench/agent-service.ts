// Stands in for the service: always has runs that are due, takes every result. A process of its own, so that only the
// agent's work is on the agent's account.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import type {
  ClaimRequest,
  ClaimResponse,
  DefinitionsRequest,
  ResultsRequest,
} from '../src/contract/agent-protocol.ts'
import { apiDefinition } from '../test/support/api-definition.ts'
import { listenAndSay } from './child.ts'

const [, , targetUrl = ''] = process.argv
const checkIds = Array.from({ length: 100 }, () => randomUUID())

let accepted = 0
let failed = 0

const assertion = { property: '', regex: null, comparison: 'EQUALS' } as const
const definition = apiDefinition(targetUrl, {
  assertions: [
    { ...assertion, source: 'STATUS_CODE', target: '200' },
    { ...assertion, source: 'JSON_BODY', property: '$.ok', target: 'true' },
  ],
})

function claims({ slots }: ClaimRequest): ClaimResponse {
  const now = Date.now()
  const runs = Array.from({ length: slots }, (_, n) => ({
    id: randomUUID(),
    checkId: checkIds[n % checkIds.length] ?? '',
    version: 1,
    location: 'eu-west-1',
    dueAt: now,
    intervalMs: 10_000,
    attempt: 1,
    attemptAt: now,
    firstStartedAt: null,
  }))
  return { serverTime: now, runs }
}

function results({ results: taken }: ResultsRequest): object {
  accepted += taken.length
  for (const { conclusion } of taken) {
    if (conclusion.kind !== 'judged' || conclusion.verdict.state !== 'passing') failed += 1
  }
  return { accepted: taken.length, refused: [] }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return json(request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request)
}

const routes: Readonly<Record<string, (body: never) => unknown>> = {
  '/agent/v1/claims': claims,
  '/agent/v1/definitions': ({ checkIds: asked }: DefinitionsRequest) => ({
    definitions: asked.map((checkId) => ({ ...definition, checkId })),
  }),
  '/agent/v1/leases': () => ({ serverTime: Date.now(), lost: [] }),
  '/agent/v1/releases': () => ({ released: 0 }),
  '/agent/v1/results': results,
  '/accepted': () => ({ accepted, failed }),
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[request.url ?? '']
  const body = request.method === 'POST' ? await bodyOf(request) : null
  // The agent's messages are of the shape that the route takes.
  response.setHeader('content-type', 'application/json').end(JSON.stringify(route?.(body as never) ?? {}))
}

listenAndSay(createServer((request, response) => void answer(request, response)))
