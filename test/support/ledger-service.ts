import { expect, onTestFinished } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { type AuditReport, audit } from '../../src/server/audit/audit.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import type { Database } from '../../src/storage/database.ts'
import { agentCapabilities, agentId } from './agent-messages.ts'
import { apiCheckBody } from './api-checks.ts'
import { startTestService, type TestService } from './test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })

export interface LedgerService extends TestService {
  /** When it began. */
  readonly startedAt: number
  createCheck(overrides?: Record<string, unknown>): Promise<string>
  /** A turn of one server, or of two at once. */
  plan(servers: number): Promise<void>
  /** A turn of the scheduler every second. */
  planFor(seconds: number): Promise<void>
  /** From the start of the service until now. */
  audit(): Promise<AuditReport>
  /** An agent is there and asks for nothing. */
  seeAgent(): Promise<void>
}

/** A service over this database that plans when it is told to. */
export async function startLedgerService(database: Database): Promise<LedgerService> {
  const service = await startTestService({ database })
  onTestFinished(() => service.app.close())
  const { clock } = service
  const startedAt = clock.now()
  const watches = Array.from(
    { length: 2 },
    () => new LocationWatch({ db: database.kysely, logger, startedAt }),
  )
  const turn = (locations: LocationWatch) => schedulerTurn({ ...service, locations })
  return {
    ...service,
    startedAt,
    plan: async (servers) => {
      await Promise.all(watches.slice(0, servers).map(turn))
    },
    createCheck: async (overrides = {}) => {
      const answer = await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
      expect(answer.statusCode, answer.body).toBe(201)
      return answer.json().id
    },
    planFor: async (seconds) => {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000)
        await Promise.all(watches.slice(0, 1).map(turn))
      }
    },
    audit: () => audit(database.kysely, { accountId: null, fromMs: startedAt, untilMs: clock.now() }),
    seeAgent: async () => {
      const request = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }
      const answer = await service.agent('claims', request)
      expect(answer.statusCode, answer.body).toBe(200)
    },
  }
}
