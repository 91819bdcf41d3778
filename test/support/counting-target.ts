import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingTarget {
  readonly url: string
  readonly visits: { path: string; at: number }[]
  readonly stop: () => void
}

/** A target that counts who came, and when. */
export async function startCountingTarget(): Promise<CountingTarget> {
  const visits: { path: string; at: number }[] = []
  const server = createServer((request, response) => {
    visits.push({ path: request.url ?? '', at: Date.now() })
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // It listens on a TCP port, so it has one.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
