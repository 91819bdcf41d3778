import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { binaries, createCluster, password, startServer, unprivileged } from './postgres-server.ts'

/** A PostgreSQL that nobody else uses, to be ill-treated. It acknowledges nothing that a crash could take back. */
export interface OwnPostgres {
  readonly url: string
  start(): Promise<void>
  /** `fast` ends its clients' connections in good order, `immediate` is a crash. */
  stop(how: 'fast' | 'immediate'): Promise<void>
  /** It accepts connections, and says nothing: none of its processes runs. */
  freeze(): void
  thaw(): void
  /** Stops it and removes its files. */
  dispose(): Promise<void>
}

export async function startOwnPostgres(port?: number): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'picket-own-postgres-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
  const bin = binaries(folder)
  const data = join(folder, 'data')
  await createCluster(bin, data, folder)
  const listening = port ?? (await freePort())
  let server: ChildProcess | null = null
  const kill = () => server?.kill('SIGQUIT')
  process.once('exit', kill)

  const start = async () => {
    server = await startServer(bin, data, listening, { synchronous_commit: 'on' })
  }
  const stop = async (how: 'fast' | 'immediate') => {
    if (server === null || server.exitCode !== null) return
    const exited = once(server, 'exit')
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await exited
  }
  const signalAll = (signal: NodeJS.Signals) => {
    const postmaster = server?.pid
    if (postmaster === undefined) return
    for (const pid of [postmaster, ...childrenOf(postmaster)]) signalPid(pid, signal)
  }
  await start()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${listening}/postgres`,
    start,
    stop,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    dispose: async () => {
      signalAll('SIGCONT')
      await stop('immediate')
      process.off('exit', kill)
      process.off('exit', remove)
      remove()
    },
  }
}

/** Each of its sessions is a process in a group of its own. Of Linux. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent)
    .map(Number)
}

function parentOf(pid: string): number | null {
  try {
    // The name before it, in parentheses, may hold spaces.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(parent)
  } catch {
    return null
  }
}

function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended meanwhile.
  }
}
