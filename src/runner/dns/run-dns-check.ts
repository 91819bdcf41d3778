import type { DefinitionOf } from '../../contract/run.ts'
import { dnsTemplates, fillFields } from '../../rules/template/fill-fields.ts'
import type { Circumstances } from '../circumstances.ts'
import { unfilled } from '../failures.ts'
import { AskingRecord } from './asking-record.ts'
import { Attempt, type DnsCheckOptions, type DnsSeen } from './attempt.ts'
import { ownResolvers } from './name-server.ts'

type RunDnsCheck = (
  definition: Pick<DefinitionOf<'DNS'>, 'request' | 'variables'>,
  signal: AbortSignal,
  circumstances?: Circumstances,
) => Promise<DnsSeen>

/**
 * One attempt at one DNS check: one question, and its answer whatever its response code. Rejects with the signal's reason
 * when the signal ends it, and with AppError when the fault is our own. No proxy carries it: a proxy takes no datagrams,
 * and an answer by another way says nothing of this one.
 */
export function createDnsCheck(options: DnsCheckOptions): RunDnsCheck {
  const { clock, nameServers, templates } = options
  const resolvers = ownResolvers(clock, nameServers)
  return ({ request, variables }, signal, { freshDns = false } = {}) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const filled = fillFields(request, dnsTemplates, variables, templates)
      if (filled.kind === 'filled') {
        const asked = { request: filled.request, signal, freshDns, resolve, reject }
        new Attempt({ ...options, ...asked, ownResolvers: resolvers }).start()
      } else {
        const { timer, evidence } = new AskingRecord(request, clock)
        resolve({
          kind: 'unreachable',
          timings: timer.timings(),
          cause: unfilled(filled),
          evidence: evidence(),
        })
      }
    })
}
