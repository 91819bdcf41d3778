import { describe, expect, test } from 'vitest'
import { createEgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { type EgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import { attempt } from '../../support/api-attempt.ts'
import { entry } from '../../support/api-definition.ts'
import { readCertificate, startHttpsTarget, startHttpTarget } from '../../support/http-target.ts'
import { startProxy } from '../../support/proxy.ts'

const rules = (text: string): EgressRules => {
  const parsed = parseEgressRules(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.rules
}

const through = (port: number, allow = '', deny = '') => {
  const read = parseProxyUrl(`http://127.0.0.1:${port}`)
  if (!('settings' in read)) throw new Error(read.fault)
  const { settings } = read
  const egress = createEgressPolicy({ allow: rules(allow), deny: rules(deny) })
  return { proxy: () => settings, egress, extraCa: [readCertificate('ca')] }
}

const saying = (host: string) => ({ headers: [entry('Host', host)] })
const ok = { '/': (response: { end: (text: string) => void }) => response.end('ok') }

describe('a Host header of its own, through a proxy that forwards', () => {
  test.each([
    ['metadata.google.internal', '', ''],
    ['METADATA.google.internal.:80', '', ''],
    ['169.254.169.254', '', ''],
    ['169.254.169.254:80', '', ''],
    ['0xa9fea9fe', '', ''],
    ['2852039166', '', ''],
    ['[::ffff:169.254.169.254]:80', '', ''],
    ['db.internal', '', '*.internal'],
    ['10.0.0.1', '', '10.0.0.0/8'],
    ['db.internal', '127.0.0.0/8, *.example', ''],
    ['user@169.254.169.254', '', ''],
    ['a.example, 169.254.169.254', '', ''],
    ['a.example/@169.254.169.254', '', ''],
    ['a.example:99999', '', ''],
    ['169.254.169.254 a.example', '', ''],
  ])('that says %j is judged as the URL is: allowed %j, denied %j', async (host, allow, deny) => {
    await using proxy = await startProxy()
    const outcome = await attempt('http://127.0.0.1:9/', saying(host), through(proxy.port, allow, deny))
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'egress-forbidden' },
      evidence: { hops: [{ remoteAddress: null }] },
    })
    expect(proxy.asked).toEqual([])
  })

  test.each([
    ['virtual.example', '', ''],
    ['virtual.example:8080', '127.0.0.0/8, *.example', ''],
    ['virtual.example', '', '*.internal'],
  ])('that says %j may go: allowed %j, denied %j', async (host, allow, deny) => {
    await using target = await startHttpTarget(ok)
    await using proxy = await startProxy()
    const outcome = await attempt(target.origin, saying(host), through(proxy.port, allow, deny))
    expect(outcome).toMatchObject({ kind: 'observed', observation: { response: { status: 200 } } })
    expect(target.requests[0]?.headers.host).toBe(host)
  })
})

test('a Host header leads nobody astray within a tunnel, or without a proxy', async () => {
  await using secure = await startHttpsTarget('valid', ok)
  await using plain = await startHttpTarget(ok)
  await using proxy = await startProxy()
  const options = through(proxy.port, '', '*.internal')
  const inTunnel = await attempt(secure.origin, { ...saying('db.internal'), skipSSL: true }, { ...options })
  expect(inTunnel).toMatchObject({ kind: 'observed' })
  const direct = await attempt(plain.origin, saying('db.internal'), { egress: options.egress })
  expect(direct).toMatchObject({ kind: 'observed' })
})
