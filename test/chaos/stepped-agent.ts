import { readAgentConfig } from '../../src/agent/config.ts'
import { runAgent } from '../../src/agent/main.ts'
import { processLogger } from '../../src/cli/process-logger.ts'

// An agent as `picket agent` runs it, whose wall clock can be set: each line of standard input says by how many
// milliseconds it is off from then on. The monotonic clock goes on, as that of a machine does.
const machineNow = Date.now
let offMs = 0
Date.now = () => machineNow() + offMs
process.stdin.setEncoding('utf8').on('data', (line) => {
  offMs = Number(line)
})
process.stdin.unref()

await runAgent(readAgentConfig(process.env), processLogger('agent', process.env))
