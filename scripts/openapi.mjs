// Writes docs/openapi.json, the description of the API: `npm run openapi`, after a route came, went or changed.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { packageVersion } from '../src/lib/package-version.ts'
import { Sealer } from '../src/lib/sealing.ts'
import { Secret } from '../src/lib/secret.ts'
import { buildApp } from '../src/server/app.ts'
import { openApiDocument } from '../src/server/documentation/openapi-document.ts'
import { WakeUp } from '../src/server/wake-up.ts'
import { openDatabase } from '../src/storage/database.ts'

const database = await openDatabase('sqlite::memory:')
const app = await buildApp({
  database,
  clock: systemClock,
  logger: createLogger({ name: 'openapi', level: 'ERROR', pretty: false }),
  sealer: new Sealer(new Secret('nothing is sealed while the API is described')),
  version: packageVersion(),
  embeddedAgentKey: undefined,
  rateLimitAMinute: 600,
  planned: new WakeUp(),
  closing: new AbortController().signal,
})
const file = fileURLToPath(new URL('../docs/openapi.json', import.meta.url))
writeFileSync(file, await openApiDocument(app))
await app.close()
await database.close()
execFileSync(
  fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url)),
  ['format', '--write', file],
  { stdio: 'inherit' },
)
