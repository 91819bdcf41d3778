import { expect, test, vi } from 'vitest'
import { createEgressCanaries } from '../../../src/runner/canary/egress-canary.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { freePort } from '../../support/free-port.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const host = '127.0.0.1'
const soon = () => AbortSignal.timeout(300)
const long = () => AbortSignal.timeout(10_000)

test('a canary that takes the connection answers, and gets nothing sent', async () => {
  const heard = Promise.withResolvers<string>()
  await using target = await startTcpTarget((socket) => {
    let text = ''
    socket.on('data', (data) => {
      text += data.toString()
    })
    socket.on('close', () => heard.resolve(text))
  })
  expect(await createEgressCanaries([{ host, port: target.port }])(long())).toBe('answered')
  expect(await heard.promise).toBe('')
})

test('a canary that refuses answers: packets go and come', async () => {
  expect(await createEgressCanaries([{ host, port: await freePort() }])(long())).toBe('answered')
})

test('a canary is silent until the signal ends the wait', async () => {
  await using hole = await startBlackHole()
  expect(await createEgressCanaries([{ host, port: hole.port }])(soon())).toBe('silent')
})

test('one that answers is enough, and the others are not waited for', async () => {
  await using hole = await startBlackHole()
  const canaries = [
    { host, port: hole.port },
    { host, port: await freePort() },
  ]
  const signal = long()
  expect(await createEgressCanaries(canaries)(signal)).toBe('answered')
  expect(signal.aborted).toBe(false)
})

test('a canary may have a name', async () => {
  expect(await createEgressCanaries([{ host: 'localhost', port: await freePort() }])(long())).toBe('answered')
})

/** No name can have a part of 64 letters: nobody needs to be asked. */
const misspelt = { host: `${'a'.repeat(64)}.invalid`, port: 1 }

test('a name that does not exist says nothing of the network', async () => {
  expect(await createEgressCanaries([misspelt])(long())).toBe('unknown')
})

test('a name that does not exist does not keep the others from answering, or from being silent', async () => {
  await using hole = await startBlackHole()
  expect(await createEgressCanaries([misspelt, { host, port: await freePort() }])(long())).toBe('answered')
  expect(await createEgressCanaries([misspelt, { host, port: hole.port }])(soon())).toBe('silent')
})

test('nothing is left open', async () => {
  await using hole = await startBlackHole()
  const open = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length
  const before = open()
  const asking = createEgressCanaries([{ host, port: hole.port }])(soon())
  await vi.waitFor(() => expect(open()).toBe(before + 1))
  await asking
  await vi.waitFor(() => expect(open()).toBe(before))
})
