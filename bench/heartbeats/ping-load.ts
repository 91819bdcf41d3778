// Pings a service from so many connections at once, and says how often and how fast it answered. A process of its own: what
// asking costs is on nobody's account.
import { Pool } from 'undici'
import { percentile } from '../support/statistics.ts'
import { tokenOf } from './seed-heartbeats.ts'

export interface PingQuestion {
  readonly url: string
  readonly heartbeats: number
  readonly connections: number
  readonly seconds: number
}

export interface Pinged {
  readonly pings: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

async function put({ url, heartbeats, connections, seconds }: PingQuestion): Promise<Pinged> {
  const pool = new Pool(url, { connections })
  const begunMs = performance.now()
  const untilMs = begunMs + seconds * 1000
  const took: number[] = []
  let sent = 0
  const lane = async () => {
    while (performance.now() < untilMs) {
      const startMs = performance.now()
      sent += 1
      const path = `/heartbeats/ping/${tokenOf(sent % heartbeats)}`
      const answer = await pool.request({ method: 'GET', path, headers: { 'user-agent': 'curl/8.7.1' } })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`a ping was answered with ${answer.statusCode}`)
      took.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const tookSeconds = (performance.now() - begunMs) / 1000
  await pool.close()
  return {
    pings: took.length,
    seconds: tookSeconds,
    p50Ms: percentile(took, 50),
    p99Ms: percentile(took, 99),
  }
}

process.on('disconnect', () => process.exit(0))
// The parent asks what this file says that it may be asked.
process.on(
  'message',
  (question) => void put(question as PingQuestion).then((pinged) => process.send?.(pinged)),
)
process.send?.({})
