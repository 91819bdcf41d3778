import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { type Static, Type } from 'typebox'
import { IcmpEvidence, IcmpObservation } from '../../src/contract/checks/icmp/observation.ts'
import type { IcmpRequest } from '../../src/contract/checks/icmp/request.ts'
import { NetworkFailure } from '../../src/contract/failure.ts'
import { validator } from '../../src/lib/validate.ts'

const Seen = Type.Union([
  Type.Object({ kind: Type.Literal('observed'), observation: IcmpObservation }),
  Type.Object({
    kind: Type.Union([Type.Literal('unreachable'), Type.Literal('timed-out')]),
    cause: NetworkFailure,
    evidence: IcmpEvidence,
  }),
  Type.Object({ kind: Type.Literal('errored'), code: Type.String() }),
])
const Told = Type.Object({ way: Type.String(), told: Type.Array(Seen) })
type Told = Static<typeof Told>
const validate = validator(Told)

const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
const main = new URL('ping-once-main.ts', import.meta.url).pathname
const router = new URL('tun-router.ts', import.meta.url).pathname
const run = promisify(execFile)

/** Whether this machine lets us make network namespaces, and as whom to act in them. */
export const hasNamespaces = works('ip link set lo up')
/** Whether it lets us stand for a network in them. */
export const hasRouter = works(`test -w /dev/net/tun && ${process.execPath} --no-warnings ${router} true`)

export interface NamespaceOptions {
  /** With the network of tun-router.ts: 10.9.0.0/24 and fd09::/64. */
  readonly routed?: boolean
  /** Acts as a user without any rights, unless the group is let in. */
  readonly unprivileged?: boolean
  /** Not even programs that have rights give him any. */
  readonly noNewRights?: boolean
  readonly mayOpenPingSockets?: boolean
}

/** What ICMP checks, all at once, saw in a network namespace of their own. */
export async function pingInNamespace(
  requests: readonly Partial<IcmpRequest>[],
  { routed = false, unprivileged = false, noNewRights = false, mayOpenPingSockets = false }: NamespaceOptions,
): Promise<Told> {
  const range = mayOpenPingSockets ? '0 2147483647' : '1 0'
  const start = `ip link set lo up && echo ${range} > /proc/sys/net/ipv4/ping_group_range && exec "$@"`
  const user = unprivileged ? [...nobody, ...(noNewRights ? ['--no-new-privs'] : [])] : []
  const throughRouter = routed ? [process.execPath, '--no-warnings', router] : []
  const command = [...throughRouter, ...user, process.execPath, main, JSON.stringify(requests)]
  const { stdout, stderr } = await run('unshare', ['--net', 'sh', '-c', start, 'sh', ...command])
  // An operator who reads the log can do nothing about an experimental module of the runtime.
  if (stderr !== '') throw new Error(stderr)
  const told = validate(JSON.parse(stdout))
  if (told.kind === 'invalid') throw new Error(JSON.stringify(told.faults))
  return told.value
}

function works(command: string): boolean {
  return spawnSync('unshare', ['--net', 'sh', '-c', command], { stdio: 'ignore' }).status === 0
}
