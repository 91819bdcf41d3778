// Runs on any Node from 20 on: sets the project up and hands over to its own Node. `npm start -- ARGUMENTS` are those
// of the picket command; without any it is `picket up`.
import { spawn } from 'node:child_process'
import { projectNode, setUp } from './set-up.mjs'

const parentLookMs = 500

setUp()
const given = process.argv.slice(2)
const child = spawn(projectNode, ['src/cli/main.ts', ...(given.length > 0 ? given : ['up'])], {
  stdio: 'inherit',
})
const stop = () => child.kill('SIGTERM')
// A terminal sends Ctrl-C to the child as well: passing it on would count as telling it twice.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
// npm passes a signal on to its shell, which ends without telling us.
const parent = process.ppid
const look = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(look)
  stop()
}, parentLookMs)
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
