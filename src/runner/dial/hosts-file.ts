import { readFile, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'

export type Family = 4 | 6

export interface HostsFileOptions {
  readonly path: string
  readonly clock: Clock
}

const rereadAfterMs = 10_000

/** The names of the machine's hosts file. It is read again every 10 s of use; a missing file has no names. */
export class HostsFile {
  readonly #options: HostsFileOptions
  #names: ReadonlyMap<string, readonly string[]>
  #readAtMs: number

  constructor(options: HostsFileOptions) {
    this.#options = options
    this.#readAtMs = options.clock.monotonicMs()
    this.#names = readNames(options.path)
  }

  /** Null when the file does not know the name; empty when it has no address of this family. */
  addresses(hostname: string, family: Family): readonly string[] | null {
    this.#refresh()
    return this.#names.get(hostname)?.filter((address) => isIP(address) === family) ?? null
  }

  #refresh(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#readAtMs < rereadAfterMs) return
    this.#readAtMs = nowMs
    readFile(this.#options.path, 'utf8', (error, text) => {
      if (!error) this.#names = parseHosts(text)
    })
  }
}

function readNames(path: string): ReadonlyMap<string, readonly string[]> {
  try {
    return parseHosts(readFileSync(path, 'utf8'))
  } catch {
    return new Map()
  }
}

function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (address === undefined || isIP(address) === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), address])
    }
  }
  return names
}
