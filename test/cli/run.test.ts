import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Route, startHttpTarget } from '../support/http-target.ts'
import { startPicket } from '../support/picket-process.ts'

// Each run is a process, which takes seconds to start on a machine that is busy with tests.
vi.setConfig({ testTimeout: 20_000 })

const dir = mkdtempSync(join(tmpdir(), 'picket-run-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let target: Awaited<ReturnType<typeof startHttpTarget>>
beforeAll(async () => {
  target = await startHttpTarget({
    '/': (response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"items":[1,2]}')
    },
  })
})
afterAll(() => target[Symbol.asyncDispose]())

function file(name: string, content: string): string {
  const path = join(dir, name)
  writeFileSync(path, content)
  return path
}

async function run(...args: string[]) {
  return runWith({}, ...args)
}

async function runWith(env: Readonly<Record<string, string>>, ...args: string[]) {
  const picket = startPicket(['run', ...args], env)
  const exitCode = await picket.exit()
  return { exitCode, stdout: picket.stdout(), stderr: picket.stderr() }
}

const check = (name: string, count: number) => `
  - name: ${name}
    request:
      method: GET
      url: ${target.origin}/
      assertions:
        - { source: JSON_BODY, property: $.items.length, comparison: EQUALS, target: "${count}" }
`

describe('picket run', () => {
  test('tells verdict, phases and each assertion; exit code 0 when none fails', async () => {
    const { exitCode, stdout, stderr } = await run(file('good.yaml', `checks:${check('two', 2)}`))
    expect(stderr).toBe('')
    expect(stdout).toMatch(/✔ passing {2}two {2}[\d.]+ ms/)
    expect(stdout).toMatch(/GET http:\S+ → 200 OK/)
    expect(stdout).toMatch(
      /dns – {2}connect [\d.]+ ms {2}tls – {2}send [\d.]+ ms {2}first byte [\d.]+ ms {2}download [\d.]+ ms/,
    )
    expect(stdout).toContain('✔ JSON_BODY $.items.length EQUALS 2, was 2')
    expect(stdout).toContain('1 check: 1 passing')
    expect(exitCode).toBe(0)
  })

  test('says what was expected and what was there; exit code 1 when one fails', async () => {
    const { exitCode, stdout } = await run(file('bad.yaml', `${check('two', 2)}${check('three', 3)}`))
    expect(stdout).toContain('✘ JSON_BODY $.items.length EQUALS 3: expected $.items.length EQUALS 3, was 2')
    expect(stdout).toContain('2 checks: 1 passing, 1 failing')
    expect(exitCode).toBe(1)
  })

  test('prints one JSON document with --json', async () => {
    const body = JSON.stringify({ name: 'json', request: { method: 'GET', url: target.origin } })
    const { exitCode, stdout } = await run('--json', file('one.json', body))
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: 'json',
        verdict: { state: 'passing' },
        outcome: { kind: 'observed', timings: { totalUs: expect.any(Number) } },
      },
    ])
    expect(exitCode).toBe(0)
  })

  test('says of a refusal that the check expects it, and leaves no line empty where nothing was reached', async () => {
    const closed = await freePort()
    const { exitCode, stdout } = await run(
      file(
        'tcp.yaml',
        `
- { name: shut, checkType: TCP, shouldFail: true, request: { hostname: 127.0.0.1, port: ${closed} } }
- { name: nowhere, checkType: TCP, request: { hostname: "{{HOST}}", port: 1 } }
`,
      ),
    )
    expect(stdout).toMatch(/✔ passing {2}shut/)
    expect(stdout).toContain('  The target refused the connection, as the check expects\n')
    expect(stdout).toContain('no connection\n  The request names the variable HOST, which is not defined\n')
    expect(exitCode).toBe(1)
  })

  test.each([
    [
      'faults.yaml',
      '- name: a\n  request: { method: GETT }\n- name: b\n  request: { url: "http://a" }\n  frequency: 3',
      [
        'faults.yaml: checks[0]: "request.method" must be one of',
        'faults.yaml: checks[0]: "request.url" is required',
        'faults.yaml: checks[1]: "frequency" must be one of',
      ],
    ],
    [
      'misspelt.yaml',
      '{ name: a, request: { url: "http://a", asertions: [] } }',
      ['"request.asertions" is not a known key: did you mean "request.assertions"?'],
    ],
    [
      'expression.yaml',
      '{ name: a, request: { url: "http://a", assertions: [{ source: TEXT_BODY, comparison: NOT_NULL, property: "(" }] } }',
      ['"request.assertions[0].property" is not a valid regular expression'],
    ],
    [
      'template.yaml',
      '{ name: a, request: { url: "http://a", body: "{{#if A}}", bodyType: RAW } }',
      ['"request.body" is not a valid template'],
    ],
    ['syntax.yaml', 'checks: [', ['syntax.yaml: is neither JSON nor YAML', 'at line 1, column 10\n']],
    ['empty.yaml', 'checks: []', ['empty.yaml: holds no checks']],
    [
      'other.yaml',
      '{ name: a, checkType: BROWSER, request: { url: "http://a" } }',
      ['"checkType" must be one of "API", "DNS", "HEARTBEAT", "ICMP", "TCP", "URL", was "BROWSER"'],
    ],
    [
      'bomb.yaml',
      `a: &a [x,x]\nb: &b [${'*a,'.repeat(200)}x]\nchecks: [${'*b,'.repeat(200)}*b]`,
      ['bomb.yaml'],
    ],
  ])('refuses %s with exit code 2, names every fault and runs nothing', async (name, content, texts) => {
    const { exitCode, stdout, stderr } = await run(file(name, content))
    for (const text of texts) expect(stderr).toContain(text)
    expect(stderr).not.toContain('    at ')
    expect([exitCode, stdout]).toEqual([2, ''])
  })

  test('a file that is not there, and a concurrency that is no number, are refused plainly', async () => {
    expect(await run(join(dir, 'nowhere.yaml'))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cannot be read'),
    })
    expect(await run('--concurrency', 'x', join(dir, 'a'))).toMatchObject({ exitCode: 2 })
  })
})

test('bodies hold no more memory together than PICKET_BODY_MEMORY_MB: what is over it is errored', async () => {
  const held = new Set<ServerResponse>()
  // Neither ends before the other was given up.
  const large: Route = (response) => {
    held.add(response.on('close', () => finish(response)))
    response.writeHead(200, { 'content-type': 'text/plain' }).write('x'.repeat(20 * 1024 * 1024))
  }
  const finish = (gone: ServerResponse) => {
    held.delete(gone)
    for (const response of held) response.end()
  }
  await using bodies = await startHttpTarget({ '/': large })
  const request = { url: `${bodies.origin}/` }
  const checks = JSON.stringify([
    { name: 'one', request },
    { name: 'two', request },
  ])
  const { exitCode, stdout } = await runWith({ PICKET_BODY_MEMORY_MB: '32' }, file('large.json', checks))
  expect(stdout).toContain('2 checks: 1 passing, 1 errored')
  expect(stdout).toContain('BODY_MEMORY_FULL: ')
  expect(exitCode).toBe(1)
})

test('settings that cannot be used are named before anything runs', async () => {
  const env = { PICKET_BODY_MEMORY_MB: '1', EGRESS_ALLOW: '10.0.0.0/33' }
  const { exitCode, stdout, stderr } = await runWith(env, file('settings.yaml', `checks:${check('two', 2)}`))
  expect(stderr).toContain('PICKET_BODY_MEMORY_MB must be')
  expect(stderr).toContain('EGRESS_ALLOW must be')
  expect([exitCode, stdout]).toEqual([2, ''])
})

test.each([[['--help']], [['run', '--help']], [['up', '--help']], [['keys', '--help']]])(
  'picket %j explains itself',
  async (args) => {
    const picket = startPicket(args, {})
    expect(await picket.exit()).toBe(0)
    const text = picket.stdout()
    expect(text).toContain('Usage: picket')
    if (args[0] === 'run') expect(text).toContain('PICKET_BODY_MEMORY_MB')
    if (args[0] === 'up') expect(text).toContain('AGENT_HEALTH_PORT')
  },
)
