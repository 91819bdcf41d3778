// Asks a service, so many requests at a time, and says how often and how fast it answered. A process of its own: what
// asking costs is on nobody's account.
import { Pool } from 'undici'
import { percentile } from '../support/statistics.ts'
import { emptyRoute, headers, type Operation, readsOf, writesOf } from './operations.ts'

export interface LoadQuestion {
  readonly url: string
  readonly operation: string
  readonly checks: number
  readonly busy: number
  readonly seconds: number
}

export interface Answered {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

let runs = 0

async function put(question: LoadQuestion): Promise<Answered> {
  const operation = [emptyRoute, ...readsOf(question), ...writesOf(question)].find(
    ({ name }) => name === question.operation,
  )
  if (!operation) throw new Error(`there is no operation ${question.operation}`)
  const pool = new Pool(question.url, { connections: operation.inFlight })
  runs += 1
  const run = `${process.pid}_${runs}`
  const begunMs = performance.now()
  const untilMs = begunMs + question.seconds * 1000
  const took: number[] = []
  let asked = 0
  const lane = async () => {
    while (performance.now() < untilMs) {
      const startMs = performance.now()
      asked += 1
      await exchange(pool, operation, asked - 1, run)
      took.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: operation.inFlight }, lane))
  const seconds = (performance.now() - begunMs) / 1000
  await pool.close()
  return { requests: took.length, seconds, p50Ms: percentile(took, 50), p99Ms: percentile(took, 99) }
}

async function exchange(pool: Pool, operation: Operation, n: number, run: string): Promise<void> {
  const { method, path, body } = operation.ask(n, run)
  const sent = body && {
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  const answer = await pool.request({ method, path, headers, ...sent })
  const text = await answer.body.text()
  if (answer.statusCode >= 300)
    throw new Error(`${operation.name}: ${answer.statusCode} ${text.slice(0, 500)}`)
}

process.on('disconnect', () => process.exit(0))
// The parent asks what this file says that it may be asked.
process.on(
  'message',
  (question) => void put(question as LoadQuestion).then((answered) => process.send?.(answered)),
)
process.send?.({})
