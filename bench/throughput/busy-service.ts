// A stand-in for the service that always has runs that are due.
import { randomUUID } from 'node:crypto'
import { isPassing, runOf, serveAgents } from '../support/stand-in.ts'
import { definitionOf } from './definition.ts'

const [, , targetUrl = ''] = process.argv
const checkIds = Array.from({ length: 100 }, () => randomUUID())
const intervalMs = 10_000

const assertion = { property: '', regex: null, comparison: 'EQUALS' } as const
const definition = definitionOf(targetUrl, [
  { ...assertion, source: 'STATUS_CODE', target: '200' },
  { ...assertion, source: 'JSON_BODY', property: '$.ok', target: 'true' },
])

let accepted = 0
let notPassing = 0

await serveAgents({
  claim: ({ slots }) => {
    const now = Date.now()
    return Array.from({ length: slots }, (_, n) =>
      runOf(randomUUID(), checkIds[n % checkIds.length] ?? '', now, intervalMs),
    )
  },
  definition: () => definition,
  onResults: (results) => {
    accepted += results.length
    notPassing += results.filter((result) => !isPassing(result)).length
  },
  report: () => ({ accepted, notPassing }),
})
