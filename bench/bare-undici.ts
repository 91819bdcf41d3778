// The bare limit: undici with a new connection for each request, nothing judged, nothing kept.
import { Client } from 'undici'

const [, , url = '', seconds = '5', concurrency = '50'] = process.argv

let done = 0
const until = performance.now() + Number(seconds) * 1000

async function probe(): Promise<void> {
  while (performance.now() < until) {
    const client = new Client(url, { pipelining: 0 })
    const { statusCode, body } = await client.request({ path: '/', method: 'GET' })
    await body.text()
    if (statusCode !== 200) throw new Error(`the target answered ${statusCode}`)
    await client.close()
    done += 1
  }
}

const before = process.cpuUsage()
await Promise.all(Array.from({ length: Number(concurrency) }, probe))
const { user, system } = process.cpuUsage(before)
process.send?.({ checks: done, cpuSeconds: (user + system) / 1e6 })
