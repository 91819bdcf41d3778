import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { makeDataDir } from './data-dir.ts'
import { freePort } from './free-port.ts'

const found = spawnSync('redis-server', ['--version']).status === 0
export const redisIsHere = found
/** Stands in the name of what is skipped where redis is not installed. */
export const skippedWithoutRedis = found
  ? ''
  : ' (skipped: redis is not installed, apt-get install redis-server)'

export interface RedisTarget extends AsyncDisposable {
  readonly port: number
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** A real redis-server on loopback that keeps nothing. */
export async function startRedis(): Promise<RedisTarget> {
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', await makeDataDir()]
  const redis = spawn('redis-server', options, { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(redis, 'exit')
  while (!(await connects(port))) {
    if (redis.exitCode !== null) throw new Error(`redis-server ended with ${redis.exitCode}`)
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      redis.kill()
      await exited
    },
  }
}
