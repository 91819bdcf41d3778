import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** A daemon is not in the path of every user, and wants to be named by its whole path. */
const program = '/usr/sbin/sshd'
const keyProgram = 'ssh-keygen'

export const sshdIsHere = existsSync(program) && spawnSync(keyProgram, ['-?']).error === undefined
/** Stands in the name of what is skipped where it is not installed. */
export const skippedWithoutSshd = sshdIsHere
  ? ''
  : ' (skipped: sshd is not installed, apt-get install openssh-server)'

export interface SshdTarget extends AsyncDisposable {
  readonly port: number
}

/** One that root starts wants a folder of the system's own: it is started as somebody who is nobody. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** A real sshd on loopback that lets nobody in. @throws Error when it ends instead */
export async function startSshd(): Promise<SshdTarget> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-sshd-'))
  const port = await freePort()
  const key = join(dir, 'key')
  spawnSync(keyProgram, ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const config = join(dir, 'config')
  const lines = [`ListenAddress 127.0.0.1:${port}`, `HostKey ${key}`, 'PidFile none', 'UsePAM no']
  await writeFile(config, `${lines.join('\n')}\n`)
  if (isRoot) for (const path of [dir, key, config]) await chown(path, nobody, nobody)
  const sshd = spawn(program, ['-D', '-q', '-f', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
  const exited = once(sshd, 'exit')
  while (!(await connects(port))) {
    if (sshd.exitCode !== null) throw new Error(`sshd ended with ${sshd.exitCode}`)
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      sshd.kill('SIGTERM')
      await exited
      await rm(dir, { recursive: true, force: true })
    },
  }
}
