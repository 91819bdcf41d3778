// The bare limit of a library: undici with a new connection for each request, nothing judged, nothing kept. One TLS
// context serves all connections, and no session is taken up again.
import { createSecureContext } from 'node:tls'
import { Client } from 'undici'
import { countLoop } from './counted-loop.ts'

const secureContext = createSecureContext()

await countLoop(async (url) => {
  const client = new Client(url, { pipelining: 0, connect: { secureContext, maxCachedSessions: 0 } })
  const { statusCode, body } = await client.request({ path: '/', method: 'GET' })
  await body.text()
  if (statusCode !== 200) throw new Error(`the target answered ${statusCode}`)
  await client.close()
})
