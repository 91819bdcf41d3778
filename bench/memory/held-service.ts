// A stand-in for the service that keeps as many runs with the agent as the parent says, of a target that never answers.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { runOf, serveAgents } from '../support/stand-in.ts'

const [, , targetUrl = ''] = process.argv
const definition = apiDefinition(targetUrl)
const intervalMs = 60_000
const lookAgainMs = 20

let wanted = 0
let out = 0

await serveAgents({
  claim: async ({ slots, waitMs }, gone) => {
    const until = performance.now() + waitMs
    while (out >= wanted && performance.now() < until && !gone.aborted) await wait(lookAgainMs)
    if (gone.aborted) return []
    const length = Math.max(0, Math.min(slots, wanted - out))
    out += length
    return Array.from({ length }, () => runOf(randomUUID(), randomUUID(), Date.now(), intervalMs))
  },
  definition: () => definition,
  onResults: (results) => {
    out -= results.length
  },
  report: (question) => {
    wanted = Number(question)
    return { wanted, out }
  },
})
