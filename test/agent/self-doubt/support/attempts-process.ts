import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ErroredReason } from '../../../../src/contract/result.ts'
import type { Canary } from '../../../../src/runner/canary/egress-canary.ts'

export interface AttemptsPlan {
  /** `{n}` in it stands for the number of the attempt. */
  readonly url: string
  /** All at once; one unless told. */
  readonly attempts?: number
  readonly attemptMs?: number
  readonly nameServers?: readonly string[]
  readonly canaries?: readonly Canary[]
  readonly ipFamily?: 'IPv4' | 'IPv6'
  readonly useOsDnsResolver?: boolean
  /** Instead of `url` a server of the process itself is asked, which answers nobody before so many have asked. */
  readonly answerAfter?: number
}

/** How one attempt ended: seen, failed with what self-doubt said of it, or ended by an error with this code. */
export type Attempted =
  | { readonly kind: 'observed' }
  | {
      readonly kind: 'failed'
      readonly failure: string
      readonly code: string | null
      readonly reason: ErroredReason | null
      readonly message: string | null
      readonly tookMs: number
    }
  | { readonly kind: 'thrown'; readonly code: string }

export interface AttemptsProcess {
  readonly child: ChildProcess
  readonly ended: Promise<Attempted[]>
}

const program = fileURLToPath(new URL('attempts-program.ts', import.meta.url))

/** Makes attempts in a process of its own, after a line of shell has made its surroundings. */
export function startAttempts(
  plan: AttemptsPlan,
  setUp = ':',
  shell: readonly string[] = ['sh'],
): AttemptsProcess {
  const [command = 'sh', ...args] = shell
  const line = `${setUp}; exec "$0" "$1" "$2"`
  const child = spawn(command, [...args, '-c', line, process.execPath, program, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(createInterface({ input: child.stdout }), 'line').then(([json]): Attempted[] =>
    JSON.parse(json),
  )
  return { child, ended }
}

/** The same in a network of its own, in which there is nothing but what `setUp` makes. */
export async function attemptsInNetwork(plan: AttemptsPlan, setUp: string): Promise<Attempted[]> {
  const { child, ended } = startAttempts(plan, `ip link set lo up; ${setUp}`, [...inNetwork, 'sh'])
  try {
    return await ended
  } finally {
    // A question of the runner may go on after the attempt that asked it, for others that wait.
    child.kill('SIGKILL')
  }
}

const inNetwork = ['unshare', '--map-root-user', '--net'] as const

/** Null where this machine lets us make networks; otherwise why not, to be shown in a test's name. */
export const whyNoNetworks: string | null =
  spawnSync(inNetwork[0], [
    ...inNetwork.slice(1),
    'sh',
    '-c',
    'ip link set lo up && ip link add v0 type veth peer v1',
  ]).status === 0
    ? null
    : 'this machine allows no network namespaces'

/** A name for tests that need networks of their own: tells why where they are skipped. */
export const namedFor = (name: string): string =>
  whyNoNetworks ? `${name} (skipped: ${whyNoNetworks})` : name
