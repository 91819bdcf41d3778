import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startPicket } from '../support/picket-process.ts'
import { allTracesOf, sampleSecrets, taintedUptimeChecks } from '../support/tainted-uptime.ts'
import { startTelltales } from '../support/telltale-targets.ts'
import { expectNoTraces } from '../support/told-by-agent.ts'

/** Without names: the command asks the name servers of the machine. */
const here = { hostname: '127.0.0.1', nameServer: '127.0.0.1' }

test.each([['as text'], ['as JSON', '--json']])(
  'no secret that picket run was given stands in what it writes %s',
  async (_how, ...options) => {
    const secrets = sampleSecrets()
    await using targets = await startTelltales(Object.values(secrets))
    const folder = await mkdtemp(join(tmpdir(), 'picket-taint-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const checks = Object.entries(taintedUptimeChecks(secrets, targets, await freePort()))
      .filter(([, { type }]) => type !== 'ICMP')
      .map(([name, { type, request }]) => {
        const local = Object.entries(here).filter(([key]) => Object.hasOwn(request, key))
        const url = 'url' in request ? { url: request.url.replace('a-{{{host}}}.test', '127.0.0.1') } : {}
        return { name, checkType: type, request: { ...request, ...Object.fromEntries(local), ...url } }
      })
    const file = join(folder, 'checks.json')
    await writeFile(file, JSON.stringify(checks))
    const named = Object.keys(secrets).flatMap((key) => ['--secret', key])
    const picket = startPicket(['run', ...options, ...named, file], secrets)
    expect([await picket.exit(), picket.stderr()]).toEqual([1, ''])
    expect(picket.stdout()).toContain('DNS observed over TCP')
    expect(picket.stdout()).toContain('<redacted>')
    expectNoTraces(Object.values(secrets), { stdout: picket.stdout() }, allTracesOf)
  },
  60_000,
)
