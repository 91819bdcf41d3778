import { expect, test } from 'vitest'
import { createFaultLog } from '../../src/agent/fault-log.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { logLines } from '../support/log-lines.ts'

test('two hundred attempts that meet one fault are two lines of the log: the first at once, then their number', () => {
  const { logger, lines } = logLines()
  let ms = 0
  const say = createFaultLog({ logger, monotonicMs: () => ms })
  for (let attempt = 0; attempt < 200; attempt += 1) say(new AppError('OUT_OF_SOCKETS', 'no socket left'))
  expect(lines).toMatchObject([{ attempts: 1, msg: expect.stringContaining('ulimit -n') }])
  ms = 60_000
  say(new AppError('OUT_OF_SOCKETS', 'no socket left'))
  expect(lines.slice(1)).toMatchObject([{ attempts: 200 }])
})

test('each fault is told by itself, and one without a name as well', () => {
  const { logger, lines } = logLines()
  const say = createFaultLog({ logger, monotonicMs: () => 0 })
  say(new AppError('PROXY_UNUSABLE', 'the proxy is down'))
  say(new Error('a slip'))
  say('thrown')
  expect(lines).toMatchObject([
    { msg: expect.stringContaining('proxyUrl') },
    { msg: expect.stringContaining('say nothing about their targets') },
  ])
})
