import { runChild } from '../support/child.ts'
import type { Size } from './settings.ts'

/** Fills an empty database; with a target, all checks are of it and wait to be woken. */
export async function seed(url: string, { checks, results }: Size, targetUrl = ''): Promise<void> {
  await runChild<object>(new URL('seed.ts', import.meta.url), { args: [url, checks, results, targetUrl] })
}
