// Delivers results of runs that are claimed, as an agent does: compressed, so many in an upload. A process of its own.
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import type { ResultsResponse } from '../../src/contract/agent-protocol.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { claimedRun } from './claimed-runs.ts'
import { agentId, agentKey } from './settings.ts'
import { resultOf } from './stored-result.ts'

export interface Delivered {
  readonly results: number
  readonly seconds: number
}

const [, , url = '', checks = '', from = '', each = ''] = process.argv
const uploadsAtOnce = 4
const pool = new Pool(url, { connections: uploadsAtOnce })
let given = 0

/** Slot by slot, all checks of each. */
function nextResults(): object[] {
  return Array.from({ length: Number(each) }, () => {
    const [check, slot] = [given % Number(checks), Math.floor(given / Number(checks))]
    given += 1
    const { id: runId, checkId, location, dueAt } = claimedRun(check, slot, Number(from))
    const id = resultIdOf(runId, 1)
    return { ...resultOf(check, slot, { id, runId, checkId, location, startedAt: dueAt + 2 }), dueAt }
  })
}

async function upload(): Promise<number> {
  const results = nextResults()
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/agent/v1/results',
    headers: {
      authorization: `Bearer ${agentKey}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: gzipSync(JSON.stringify({ agentId, results }), { level: 1 }),
  })
  const text = await body.text()
  const answer = statusCode === 200 ? (JSON.parse(text) as ResultsResponse) : null
  if (answer?.accepted !== results.length) throw new Error(`${statusCode}: ${text.slice(0, 500)}`)
  return results.length
}

async function deliver(seconds: number): Promise<Delivered> {
  const begunMs = performance.now()
  let results = 0
  const lane = async () => {
    while (performance.now() - begunMs < seconds * 1000) {
      const accepted = await upload()
      results += accepted
    }
  }
  await Promise.all(Array.from({ length: uploadsAtOnce }, lane))
  return { results, seconds: (performance.now() - begunMs) / 1000 }
}

process.on('disconnect', () => process.exit(0))
process.on('message', (seconds) => void deliver(Number(seconds)).then((done) => process.send?.(done)))
process.send?.({})
