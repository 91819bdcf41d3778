import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** In a child: listens on a free port and tells the parent its address. Ends with the parent. */
export async function listenAndSay(server: Server, scheme: 'http' | 'https' = 'http'): Promise<void> {
  process.on('disconnect', () => process.exit(0))
  process.send?.({ url: `${scheme}://127.0.0.1:${await listen(server)}` })
}

/** The free port of 127.0.0.1 that it now listens on. */
export async function listen(server: Server, backlog = 4096): Promise<number> {
  server.listen({ port: 0, host: '127.0.0.1', backlog })
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('not listening on a port')
  return address.port
}

/** In a child: one answer to each question of the parent. */
export function answerParent(answer: (question: unknown) => unknown): void {
  process.on('message', (question) => process.send?.(answer(question)))
}

export interface ChildOptions {
  readonly args?: readonly (string | number)[]
  readonly env?: Readonly<Record<string, string>>
}

export interface Child<T> {
  readonly process: ChildProcess
  /** Its first message. */
  readonly said: T
}

/** In the parent: starts a file and waits for the first that it says. */
export async function startChild<T = { readonly url: string }>(
  file: URL,
  { args = [], env = {} }: ChildOptions = {},
): Promise<Child<T>> {
  const path = fileURLToPath(file)
  const child = spawn(process.execPath, [path, ...args.map(String)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return { process: child, said: await nextMessage<T>(child, basename(path)) }
}

/** Sends a message and gives what the child says next. */
export function ask<T>(child: ChildProcess, message: object | number): Promise<T> {
  const answer = nextMessage<T>(child, 'a child')
  child.send(message)
  return answer
}

/** What a child measured of itself, sent as its only message. */
export async function runChild<T>(file: URL, options: ChildOptions): Promise<T> {
  const child = await startChild<T>(file, options)
  child.process.kill()
  return child.said
}

/** Our own children say what their file says. */
async function nextMessage<T>(child: ChildProcess, name: string): Promise<T> {
  const stop = new AbortController()
  const { signal } = stop
  const gone = once(child, 'exit', { signal }).then(([code]: unknown[]) => {
    throw new Error(`${name} ended with ${String(code)} without a word`)
  })
  try {
    const [message]: T[] = await Promise.race([once(child, 'message', { signal }), gone])
    if (message === undefined) throw new Error(`${name} said nothing`)
    return message
  } finally {
    stop.abort()
    gone.catch(() => {})
  }
}
