import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import {
  deleteAgentsUnseenSince,
  listAgents,
  seeAgent,
  servedDataCenterLocations,
} from '../../src/storage/agents.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

const agentRow = (changes: Partial<Schema['agents']> = {}): Schema['agents'] => ({
  id: newId(),
  accountId: null,
  location: 'eu-west-1',
  embedded: 0,
  version: '1.0.0',
  flavour: 'full',
  checkTypes: '["API"]',
  runtimes: '[]',
  platform: 'linux x64',
  runtimeVersion: 'v26.10.0',
  firstSeenAt: t0,
  lastSeenAt: t0,
  ...changes,
})
const everyAgent = { accountId: 'any', locations: 'any', seenSince: 0 } as const

forEachEngine((_engine, open) => {
  test('remembers when an agent was first seen, and what it is now', async () => {
    const { kysely: db } = await open()
    const row = agentRow()
    await seeAgent(db, row)
    await seeAgent(db, {
      ...row,
      version: '1.1.0',
      checkTypes: '["API","TCP"]',
      firstSeenAt: t0 + 9,
      lastSeenAt: t0 + 9,
    })
    expect(await listAgents(db, everyAgent)).toEqual([
      { ...row, version: '1.1.0', checkTypes: '["API","TCP"]', lastSeenAt: t0 + 9 },
    ])
  })

  test('an agent seen twice at once is one agent', async () => {
    const { kysely: db } = await open()
    const row = agentRow({ accountId: 'ours', location: 'cellar' })
    await Promise.all(Array.from({ length: 5 }, () => seeAgent(db, row)))
    expect(await listAgents(db, everyAgent)).toEqual([row])
  })

  test('an agent with another’s id takes nothing from it', async () => {
    const { kysely: db } = await open()
    const row = agentRow({ accountId: 'ours', location: 'cellar' })
    for (const other of [
      row,
      { ...row, accountId: 'theirs' },
      { ...row, accountId: null, location: 'eu-west-1' },
    ]) {
      await seeAgent(db, other)
    }
    expect(await listAgents(db, { ...everyAgent, accountId: 'ours' })).toEqual([row])
    expect(await listAgents(db, everyAgent)).toHaveLength(3)
  })

  test('lists agents by account, location and when they were seen', async () => {
    const { kysely: db } = await open()
    const cellar = agentRow({
      accountId: 'ours',
      location: 'cellar',
      firstSeenAt: t0 + 1,
      lastSeenAt: t0 + 10,
    })
    const attic = agentRow({ accountId: 'ours', location: 'attic', lastSeenAt: t0 + 20 })
    const dataCenter = agentRow({ firstSeenAt: t0 + 2, lastSeenAt: t0 + 30 })
    for (const row of [cellar, attic, dataCenter]) await seeAgent(db, row)
    expect(await listAgents(db, everyAgent)).toEqual([attic, cellar, dataCenter])
    expect(await listAgents(db, { ...everyAgent, seenSince: t0 + 20 })).toEqual([attic, dataCenter])
    expect(
      await listAgents(db, { ...everyAgent, accountId: 'ours', locations: ['cellar', 'eu-west-1'] }),
    ).toEqual([cellar])
    expect(await listAgents(db, { ...everyAgent, accountId: null })).toEqual([dataCenter])
    expect(await listAgents(db, { ...everyAgent, locations: [] })).toEqual([])
  })

  test('a data-center location is served by its own agents, not by the embedded one', async () => {
    const { kysely: db } = await open()
    const rows = [
      agentRow({ location: 'eu-west-1', lastSeenAt: t0 + 10 }),
      agentRow({ location: 'eu-west-1', lastSeenAt: t0 + 11 }),
      agentRow({ location: 'us-east-1', lastSeenAt: t0 + 9 }),
      agentRow({ location: 'embedded', embedded: 1, lastSeenAt: t0 + 10 }),
      agentRow({ location: 'cellar', accountId: 'ours', lastSeenAt: t0 + 10 }),
    ]
    for (const row of rows) await seeAgent(db, row)
    expect(await servedDataCenterLocations(db, t0 + 10)).toEqual(['eu-west-1'])
  })

  test('forgets agents that were not seen for long', async () => {
    const { kysely: db } = await open()
    const [gone, here] = [agentRow({ lastSeenAt: t0 - 1 }), agentRow({ lastSeenAt: t0 })]
    for (const row of [gone, here]) await seeAgent(db, row)
    await deleteAgentsUnseenSince(db, t0)
    expect(await listAgents(db, everyAgent)).toEqual([here])
  })
})
