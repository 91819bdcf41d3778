import type { IcmpRequest } from '../../src/contract/checks/icmp/request.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { icmpAbility } from '../../src/runner/icmp/icmp-ability.ts'
import { pingOnce } from './ping-once.ts'

// Runs in a network namespace of its own: tells its way and what it saw of each request as one line of JSON.
const { way } = icmpAbility()
const requests: unknown = JSON.parse(process.argv[2] ?? '[]')
const told = await Promise.all(Array.isArray(requests) ? requests.map(tellOf) : [])
process.stdout.write(JSON.stringify({ way, told }))

function tellOf(request: Partial<IcmpRequest>) {
  return pingOnce(request).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    return { kind: 'errored', code: error.code }
  })
}
