// What `npm start` and `npm test` do first on a fresh clone. Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const windows = process.platform === 'win32'

/** The Node.js that the project pins as a dev dependency. */
export const projectNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')

/** npm notes in node_modules what it installed; the lock file says what is wanted. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed) || !existsSync(projectNode)) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

/** Installs the dependencies where they are missing or others than the lock file names. Ends the process on failure. */
export function setUp() {
  process.chdir(root)
  if (isInstalled()) return
  process.stderr.write('Installing dependencies, Node.js among them (about a minute, only this once)\n')
  // npm ci demands that the lock file lists the binaries of every platform, also those that a registry does not hold;
  // npm install takes the versions of the lock file all the same.
  const npm = spawnSync(windows ? 'npm.cmd' : 'npm', ['install', '--no-save', '--loglevel=error'], {
    stdio: ['ignore', 2, 'inherit'],
    shell: windows,
  })
  if (npm.status !== 0 || !existsSync(projectNode)) {
    process.stderr.write('The dependencies could not be installed: "npm install" says why\n')
    process.exit(1)
  }
}
