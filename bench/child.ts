import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'

/** In a child: listens on a free port and tells the parent its address. */
export function listenAndSay(server: Server): void {
  process.on('disconnect', () => process.exit(0))
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address) process.send?.({ url: `http://127.0.0.1:${address.port}` })
  })
}

export interface Child {
  readonly process: ChildProcess
  readonly url: string
}

/** In the parent: starts a file of this folder and waits until it has said its address. */
export async function startChild(file: string, args: readonly string[] = []): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [message]: { url?: string }[] = await once(child, 'message')
  return { process: child, url: message?.url ?? '' }
}

/** What a child measured of itself, sent as its only message. */
export async function runChild<T>(file: string, args: readonly string[]): Promise<T> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [message]: T[] = await once(child, 'message')
  child.kill()
  if (message === undefined) throw new Error(`${file} said nothing`)
  return message
}

/** User and system seconds of a process that serves Prometheus metrics. */
export async function cpuSecondsOf(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const seconds = /^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]
  if (seconds === undefined) throw new Error(`${metricsUrl} has no process_cpu_seconds_total`)
  return Number(seconds)
}
