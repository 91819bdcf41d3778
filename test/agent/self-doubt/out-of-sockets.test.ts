import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startDnsTarget } from '../../support/dns-target.ts'
import { startHttpTarget } from '../../support/http-target.ts'
import { attemptsInNetwork, namedFor, startAttempts, whyNoNetworks } from './support/attempts-process.ts'

/** Answers nobody before so many have asked: until then, every request holds a connection. */
function holdBack(wanted: number): (response: ServerResponse) => void {
  const held: ServerResponse[] = []
  let came = 0
  return (response) => {
    held.push(response)
    came += 1
    if (came >= wanted) for (const one of held.splice(0)) one.end()
  }
}

const observed = expect.objectContaining({ kind: 'observed' })
const outOfSockets = expect.objectContaining({ kind: 'thrown', code: 'OUT_OF_SOCKETS' })

/** A name server could not be asked: only self-doubt knows why. */
const ownFault = expect.objectContaining({
  kind: 'failed',
  failure: 'dns-failed',
  reason: expect.stringMatching(/^(out-of-sockets|resolver-unreachable)$/),
})

describe('a process with few open files', () => {
  test('blames no target: each attempt sees it, or ends as our own fault', { timeout: 20_000 }, async () => {
    await using target = await startHttpTarget({ '/': holdBack(4) })
    const ended = await startAttempts({ url: `${target.origin}/`, attempts: 100 }, 'ulimit -n 40').ended
    expect(ended).toHaveLength(100)
    expect(ended).toContainEqual(observed)
    expect(ended).toContainEqual(outOfSockets)
    expect(ended.filter(({ kind }) => kind === 'failed')).toEqual([])
  })

  test('blames no name: each attempt sees the target, or ends as our own fault', {
    timeout: 20_000,
  }, async () => {
    await using target = await startHttpTarget({ '/': holdBack(1) })
    // Each by a name of its own, which takes a socket to look it up.
    const names = Array.from({ length: 100 }, (_, at) => [
      `n${at}.invalid`,
      { addresses: ['127.0.0.1'], ttl: 0 },
    ])
    await using dns = await startDnsTarget(Object.fromEntries(names))
    const url = `http://n{n}.invalid:${target.port}/`
    const plan = { url, attempts: 100, nameServers: [dns.nameServer] }
    const ended = await startAttempts(plan, 'ulimit -n 40').ended
    expect(ended).toHaveLength(100)
    expect(ended).toContainEqual(observed)
    const others = ended.filter(({ kind }) => kind !== 'observed')
    expect(others).not.toEqual([])
    for (const end of others) expect([outOfSockets, ownFault]).toContainEqual(end)
  })
})

describe.skipIf(whyNoNetworks !== null)(namedFor('a machine with few local ports'), () => {
  test('blames no target: each attempt sees it, or ends as our own fault', { timeout: 20_000 }, async () => {
    const fewPorts = 'echo 40000 40009 > /proc/sys/net/ipv4/ip_local_port_range'
    const ended = await attemptsInNetwork({ url: '', attempts: 60, answerAfter: 5 }, fewPorts)
    expect(ended).toHaveLength(60)
    expect(ended).toContainEqual(observed)
    expect(ended).toContainEqual(outOfSockets)
    expect(ended.filter(({ kind }) => kind === 'failed')).toEqual([])
  })
})
