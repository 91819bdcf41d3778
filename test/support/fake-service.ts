import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { PingsResponse, TakenPing } from '../../src/contract/agent-pings.ts'
import type { ClaimRequest, ErrorReport } from '../../src/contract/agent-protocol.ts'
import type { Schedules } from '../../src/contract/agent-schedules.ts'
import type { Result } from '../../src/contract/result.ts'
import type { CheckDefinition, Run } from '../../src/contract/run.ts'

export type Endpoint =
  | 'claims'
  | 'schedules'
  | 'definitions'
  | 'leases'
  | 'releases'
  | 'results'
  | 'pings'
  | 'error-reports'
/** Answers with this status, breaks the connection, never answers, or answers with something else than was asked. */
export type ServiceFault = number | 'drop' | 'silence' | 'nonsense'

/** A server that speaks the agents' protocol, and does as a test says. */
export class FakeService {
  readonly claims: ClaimRequest[] = []
  readonly definitionRequests: string[][] = []
  readonly renewed: string[][] = []
  readonly released: string[] = []
  /** What was accepted, in its order. */
  readonly results: Result[] = []
  /** The records of each batch that came, accepted or not. */
  readonly batches: Result[][] = []
  readonly errorReports: ErrorReport[] = []
  /** Each that was accepted, and how old it was said to be. */
  readonly pings: { readonly ageMs: number; readonly ping: TakenPing }[] = []
  readonly authorizations = new Set<string | undefined>()
  /** As they stood in the request line. */
  readonly targets: string[] = []
  readonly lost = new Set<string>()
  readonly faults = new Map<Endpoint, ServiceFault>()
  /** A reason refuses the record. */
  refuse: (result: Result) => string | null = () => null
  /** A status refuses the whole batch. */
  refuseBatch: (results: readonly Result[]) => number | null = () => null
  refusePing: (ping: TakenPing) => PingsResponse['refused'][number]['reason'] | null = () => null
  /** What an agent is told to go on with by itself. */
  schedules: Schedules = { locations: ['eu-west-1'], checks: [], windows: [] }
  /** How far its clock is ahead of this machine's. */
  clockAheadMs = 0
  readonly #runs: Run[] = []
  readonly #definitions = new Map<string, CheckDefinition>()
  readonly #wake = new Set<() => void>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #port = 0

  static async start(): Promise<FakeService> {
    const service = new FakeService()
    await service.listen()
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  now(): number {
    return Date.now() + this.clockAheadMs
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('not listening on a port')
    this.#port = address.port
  }

  /** Nobody listens on its port until `listen` is called again. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  define(...definitions: readonly CheckDefinition[]): void {
    for (const definition of definitions) this.#definitions.set(definition.checkId, definition)
  }

  /** To be given to the next claim. */
  enqueue(...runs: readonly Run[]): void {
    this.#runs.push(...runs)
    for (const wake of this.#wake) wake()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? ''
    this.targets.push(target)
    this.authorizations.add(request.headers.authorization)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    // The tests know what they send.
    const endpoint = target.replace(/^.*\/agent\/v1\//, '') as Endpoint
    const fault = this.faults.get(endpoint)
    if (fault === 'silence') return
    if (fault === 'drop') return void request.socket.destroy()
    if (fault === 'nonsense') return reply(response, 200, '<html>Welcome</html>')
    if (typeof fault === 'number')
      return reply(response, fault, { statusCode: fault, error: 'x', message: 'x' })
    const [status, answer] = await this.#answer(endpoint, JSON.parse(body.toString()), response)
    reply(response, status, answer)
  }

  #answer(
    endpoint: Endpoint,
    body: ClaimRequest &
      ErrorReport & { checkIds: string[]; runIds: string[]; results: Result[]; pings: FakeService['pings'] },
    response: ServerResponse,
  ): [number, unknown] | Promise<[number, unknown]> {
    switch (endpoint) {
      case 'claims':
        return this.#claim(body, response)
      case 'schedules': {
        const { schedules } = this
        return [200, { serverTime: this.now(), revision: JSON.stringify(schedules).slice(0, 100), schedules }]
      }
      case 'definitions':
        this.definitionRequests.push(body.checkIds)
        return [200, { definitions: body.checkIds.flatMap((id) => this.#definitions.get(id) ?? []) }]
      case 'leases':
        this.renewed.push(body.runIds)
        return [200, { serverTime: this.now(), lost: body.runIds.filter((id) => this.lost.has(id)) }]
      case 'releases':
        this.released.push(...body.runIds)
        return [200, { released: body.runIds.length }]
      case 'results':
        return this.#take(body.results)
      case 'pings':
        return this.#takePings(body.pings)
      case 'error-reports':
        this.errorReports.push(body)
        return [204, null]
    }
  }

  #takePings(pings: FakeService['pings']): [number, PingsResponse] {
    const refused = pings.flatMap(({ ping }, index) => {
      const reason = this.refusePing(ping)
      return reason === null ? [] : [{ index, reason, token: ping.token }]
    })
    this.pings.push(...pings.filter(({ ping }) => this.refusePing(ping) === null))
    return [200, { serverTime: this.now(), accepted: pings.length - refused.length, refused }]
  }

  async #claim(claim: ClaimRequest, response: ServerResponse): Promise<[number, unknown]> {
    this.claims.push(claim)
    if (this.#runs.length === 0) await this.#nextRun(claim.waitMs, response)
    return [
      200,
      {
        serverTime: this.now(),
        proxyUrl: null,
        runs: response.destroyed ? [] : this.#runs.splice(0, claim.slots),
      },
    ]
  }

  #nextRun(waitMs: number, response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#wake.delete(end)
        resolve()
      }
      const timer = setTimeout(end, waitMs)
      this.#wake.add(end)
      response.once('close', end)
    })
  }

  #take(results: Result[]): [number, unknown] {
    this.batches.push(results)
    const status = this.refuseBatch(results)
    if (status !== null) return [status, { statusCode: status, error: 'x', message: 'x' }]
    const refused = results.flatMap((result, index) => {
      const reason = this.refuse(result)
      return reason === null ? [] : [{ index, reason }]
    })
    const refusedIndexes = new Set(refused.map(({ index }) => index))
    this.results.push(...results.filter((_, index) => !refusedIndexes.has(index)))
    return [200, { accepted: results.length - refused.length, refused }]
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body))
}
