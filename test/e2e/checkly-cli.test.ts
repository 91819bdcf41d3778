import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bareEnv } from '../support/bare-env.ts'
import { startHttpTarget } from '../support/http-target.ts'
import { type RunningUp, startUp, temporaryDataDir } from '../support/up.ts'

const command = fileURLToPath(new URL('../../node_modules/checkly/bin/run.cjs', import.meta.url))
const accountId = '11111111-2222-4333-8444-555555555555'
const apiKey = 'pk_a-key-that-the-tests-know'

const undo: (() => unknown)[] = []
let up: RunningUp
let folder: string

beforeAll(async () => {
  const { dir, remove } = await temporaryDataDir()
  undo.push(remove)
  folder = dir
  up = await startUp(join(dir, 'data'), { PICKET_ACCOUNT_ID: accountId })
  undo.push(() => up.stop())
}, 60_000)
afterAll(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The client from npm as it is, with no settings but these. */
function checkly(...args: string[]): Promise<Ran> {
  const env = {
    ...bareEnv,
    HOME: folder,
    CI: 'true',
    NO_COLOR: '1',
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: up.url,
    CHECKLY_API_KEY: apiKey,
    CHECKLY_ACCOUNT_ID: accountId,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

/** What it printed, once it went well. */
async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await checkly(...args)
  expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  return stdout
}
const json = async (...args: string[]) => JSON.parse(await printed(...args, '--output', 'json'))

/** The API itself, to make what the client only reads. */
const api = (path: string, body: object) => up.post<Record<string, unknown>>(path, body)

describe('the checkly command from npm', { timeout: 120_000 }, () => {
  test('says who it is and which runtimes there are', async () => {
    const [whoami, runtimes] = await Promise.all([printed('whoami'), printed('runtimes')])
    expect(whoami).toContain(accountId)
    expect(runtimes).toContain('2026.04')
  })

  test('shows what the account may use, and who may use it', async () => {
    const plan = await json('account', 'plan')
    expect(plan.locations.all).toHaveLength(22)
    expect(await printed('account', 'plan', '--disabled')).toContain('BROWSER_CHECKS')
    expect(await json('members')).toMatchObject({ members: [] })
  })

  test('reads any path of the API', async () => {
    expect(JSON.parse(await printed('api', '/v1/runtimes'))).toContainEqual(
      expect.objectContaining({ name: '2026.04' }),
    )
  })

  test('adds, lists, changes, pulls and removes variables', async () => {
    await printed('env', 'add', 'BASE_URL', 'https://a.example')
    await printed('env', 'add', '--secret', 'TOKEN', 's3cret')
    expect(await printed('env', 'ls')).toMatch(/BASE_URL[\s\S]*TOKEN/)
    await printed('env', 'update', 'BASE_URL', 'https://b.example')
    await printed('env', 'pull', '--force', '.env.pulled')
    const pulled = await readFile(join(folder, '.env.pulled'), 'utf8')
    expect(pulled).toContain('https://b.example')
    expect(pulled).not.toContain('s3cret')
    await printed('env', 'rm', '--force', 'BASE_URL')
    expect(await printed('env', 'ls')).not.toContain('BASE_URL')
  })

  test('lists, shows, runs, counts and deletes checks', async () => {
    await using target = await startHttpTarget({
      '/ok': (response) => response.end('{}'),
      '/ill': (response) => response.writeHead(500).end(),
    })
    const check = (name: string, path: string) => ({
      name,
      frequency: 1440,
      tags: ['cli'],
      locations: ['eu-west-1'],
      doubleCheck: false,
      request: { url: target.origin + path },
    })
    const well = await api('/v1/checks/api', check('The shop', '/ok'))
    const ill = await api('/v1/checks/api', check('The cellar', '/ill'))

    const listed = await json('checks', 'list', '--tag', 'cli')
    expect(JSON.stringify(listed)).toContain('The shop')
    const ran = await json('checks', 'run', '--check-id', String(well['id']), '--timeout', '60')
    expect(ran.sessions).toMatchObject([{ checkId: well['id'], status: 'PASSED' }])
    const failed = await checkly('checks', 'run', '--check-id', String(ill['id']), '--output', 'json')
    expect([failed.code, JSON.parse(failed.stdout).sessions[0].status]).toEqual([1, 'FAILED'])
    const shown = await printed('checks', 'get', String(ill['id']))
    expect(shown).toContain('The cellar')
    const stats = await json('checks', 'stats', String(well['id']), String(ill['id']))
    expect(JSON.stringify(stats)).toContain(String(well['id']))
    await printed('checks', 'delete', '--force', String(well['id']))
    expect(JSON.stringify(await json('checks', 'list', '--tag', 'cli'))).not.toContain('The shop')
  })

  test('lists and shows alert channels', async () => {
    const channel = await api('/v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'ops@shop.example' },
    })
    expect(await printed('alert-channels', 'list')).toContain('ops@shop.example')
    expect(await printed('alert-channels', 'get', String(channel['id']))).toContain('ops@shop.example')
  })

  test('lists and shows status pages, and declares, updates, resolves and lists incidents', async () => {
    const service = await api('/v1/status-pages/services', { name: 'Checkout' })
    const page = await api('/v1/status-pages', {
      name: 'Shop status',
      url: 'shop-status',
      cards: [{ name: 'Shop', services: [{ id: service['id'] }] }],
    })
    const pageId = String(page['id'])
    expect(await printed('status-pages', 'list')).toContain('Shop status')
    expect(await printed('status-pages', 'get', pageId)).toContain('Checkout')

    const create = ['incidents', 'create', '--status-page-id', pageId, '--title', 'Slow checkout', '--force']
    const incident = await json(...create)
    expect(incident).toMatchObject({
      name: 'Slow checkout',
      severity: 'MINOR',
      services: [{ name: 'Checkout' }],
    })
    const update = ['incidents', 'update', incident.id, '--message', 'Found it', '--force']
    const updated = await json(...update, '--status', 'identified', '--severity', 'major')
    expect(updated).toMatchObject({ description: 'Found it', status: 'IDENTIFIED' })
    expect(await printed('incidents', 'list', '--status', 'open')).toContain('Slow checkout')
    await printed('incidents', 'resolve', incident.id, '--force')
    expect(await printed('incidents', 'list', '--status', 'open')).not.toContain('Slow checkout')
    expect(await printed('incidents', 'list', '--status', 'resolved')).toContain('Slow checkout')
  })
})
