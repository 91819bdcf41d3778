import { expect, onTestFinished, test } from 'vitest'
import { startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

async function emptyDataDir(): Promise<string> {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  return dir
}

test('picket up names every fault of the settings of both processes at once: exit code 2', async () => {
  const up = startPicket(['up'], {
    PICKET_DATA_DIR: await emptyDataDir(),
    LOG_LEVEL: 'loud',
    PICKET_PORT: 'x',
    JOB_CONCURRENCY: '0',
  })
  expect(await up.exit()).toBe(2)
  expect(up.stderr().match(/^ {2}\w+(?= must be)/gm)).toEqual([
    '  PICKET_PORT',
    '  LOG_LEVEL',
    '  JOB_CONCURRENCY',
  ])
})

test('a misspelled setting is told of once, with the one that was meant; what Kubernetes sets is none', async () => {
  const up = startPicket(['up'], {
    PICKET_DATA_DIR: await emptyDataDir(),
    PICKET_PORT: '0',
    AGENT_HEALTH_PORT: '0',
    AGENT_HEALTH_HOST: '127.0.0.1',
    PICKET_DATA_DRI: '/elsewhere',
    EGRESS_DENIED: '10.0.0.0/8',
    PICKET_SERVICE_HOST: '10.43.0.7',
    PICKET_SERVER_PORT: 'tcp://10.43.0.7:3000',
    PICKET_PORT_3000_TCP_ADDR: '10.43.0.7',
  })
  await up.logged('the agent is ready')
  up.signal('SIGTERM')
  expect(await up.exit()).toBe(0)
  const told = up.log.filter(({ msg }) => msg?.includes('no setting has this name'))
  expect(told.map(({ setting, msg }) => [setting, msg?.split(': ')[1]]).toSorted()).toEqual([
    ['EGRESS_DENIED', 'did you mean EGRESS_DENY?'],
    ['PICKET_DATA_DRI', 'did you mean PICKET_DATA_DIR?'],
  ])
})

test('the help of picket up asks for no key of an agent: it makes its own', async () => {
  const help = startPicket(['up', '--help'], {})
  expect(await help.exit()).toBe(0)
  expect(help.stdout()).toContain('PICKET_PORT')
  expect(help.stdout()).toContain('AGENT_HEALTH_PORT')
  expect(help.stdout()).not.toMatch(/^ {2}(API_KEY|API_URL|PICKET_EMBEDDED_AGENT_KEY) /m)
})
