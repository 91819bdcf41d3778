import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startTcpTarget } from '../../support/tcp-target.ts'
import { startAttempts } from './support/attempts-process.ts'

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

test('a process that was stopped in the middle of an attempt does not call the target slow', {
  timeout: 20_000,
}, async () => {
  const asked = Promise.withResolvers<() => void>()
  await using target = await startTcpTarget((socket) => {
    socket.once('data', () => asked.resolve(() => socket.end(answer)))
  })
  const attemptMs = 1500
  const { child, ended } = startAttempts({ url: `${target.origin}/`, attemptMs })
  const answerNow = await asked.promise
  child.kill('SIGSTOP')
  answerNow()
  // An attempt that began later has run out of time: so has the one that was stopped, before it can read the answer.
  await using silent = await startTcpTarget(() => {})
  expect(await startAttempts({ url: `${silent.origin}/`, attemptMs }).ended).toMatchObject([
    { failure: 'first-byte-timeout', reason: null },
  ])
  child.kill('SIGCONT')
  expect(await ended).toMatchObject([
    { kind: 'failed', failure: 'first-byte-timeout', reason: 'event-loop-stall' },
  ])
})

test('a target that says nothing is to blame for it', { timeout: 20_000 }, async () => {
  await using target = await startTcpTarget(() => {})
  expect(await startAttempts({ url: `${target.origin}/`, attemptMs: 300 }).ended).toMatchObject([
    { kind: 'failed', failure: 'first-byte-timeout', reason: null },
  ])
})

test('a process whose canaries were asked ends by itself', { timeout: 20_000 }, async () => {
  const { ended, child } = startAttempts({
    url: 'http://name.invalid/',
    nameServers: ['127.0.0.1:9'],
    attemptMs: 3000,
  })
  expect(await ended).toMatchObject([{ reason: 'resolver-unreachable' }])
  expect(await once(child, 'exit')).toEqual([0, null])
})
