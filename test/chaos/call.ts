import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnv } from '../support/bare-env.ts'

const run = promisify(execFile)
export const apiKey = 'pk_a-key-that-the-suite-knows'
export const picket = join(import.meta.dirname, '../../src/cli/main.ts')

/** Asks the first of these servers that answers. */
export async function callFirst<T>(
  urls: readonly string[],
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  for (const url of urls) {
    const response = await fetch(url + path, { method, headers, ...sent }).catch(() => null)
    if (!response?.ok) continue
    const text = await response.text()
    // What the service sends is what its own schemas let through.
    return (text === '' ? null : JSON.parse(text)) as T
  }
  throw new Error(`no server answered ${method} ${path}`)
}

/** What our own command prints. */
export async function printed(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<string> {
  const options = { env: { ...bareEnv, ...env }, maxBuffer: 64 * 1024 * 1024 }
  return (await run(process.execPath, [picket, ...args], options)).stdout
}
