// `npm test`: everything that must hold before a change lands. Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { projectNode, setUp } from './set-up.mjs'

setUp()
const bin = join('node_modules', '.bin')
const env = {
  ...process.env,
  PATH: [dirname(projectNode), bin, process.env.PATH].join(process.platform === 'win32' ? ';' : ':'),
  // Hundreds of processes of our own are started, and each would compile the same again.
  NODE_COMPILE_CACHE: resolve('node_modules', '.cache', 'compiled'),
}
const steps = [
  ['format and lint', 'biome', ['check', '--error-on-warnings']],
  ['promises', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', []],
  ['layers', 'depcruise', ['src', '--config', '--output-type', 'err']],
  ['unused code', 'knip', []],
  ['tests', 'vitest', ['run']],
]
for (const [name, command, args] of steps) {
  process.stdout.write(`\n== ${name}\n`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stdout.write(`\n== ${name}: failed\n`)
    process.exit(status ?? 1)
  }
}
