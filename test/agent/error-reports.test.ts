import { beforeEach, describe, expect, test } from 'vitest'
import { createErrorReports } from '../../src/agent/error-reports.ts'
import type { ErrorReport } from '../../src/contract/agent-protocol.ts'
import { AppError } from '../../src/lib/app-error.ts'

let sent: ErrorReport[] = []
let now = 0

const reports = (enabled = true) =>
  createErrorReports({
    enabled,
    send: async (report) => void sent.push(report),
    version: '1.2.3',
    monotonicMs: () => now,
  })

beforeEach(() => {
  sent = []
  now = 0
})

describe('error reports', () => {
  test('carry five fields and no others', async () => {
    await reports()(new AppError('OUTBOX_GONE', 'The thread of the outbox ended'))
    expect(sent).toEqual([
      {
        message: 'OUTBOX_GONE: The thread of the outbox ended',
        stack: expect.stringMatching(/^OUTBOX_GONE: The thread of the outbox ended\n {4}at /),
        agentVersion: '1.2.3',
        platform: `${process.platform}-${process.arch}`,
        runtimeVersion: process.version,
      },
    ])
  })

  test('are not sent when they are turned off', async () => {
    await reports(false)(new AppError('A', 'a'))
    expect(sent).toEqual([])
  })

  test('are sent ten times a minute at most', async () => {
    const report = reports()
    for (let count = 0; count < 30; count += 1) await report(new AppError(`CODE_${count}`, 'x'))
    expect(sent).toHaveLength(10)
    now += 60_000
    await report(new AppError('LATER', 'x'))
    expect(sent).toHaveLength(11)
  })

  test('are sent once for the same error in an hour', async () => {
    const report = reports()
    const error = new AppError('SAME', 'x')
    await report(error)
    await report(error)
    expect(sent).toHaveLength(1)
    now += 3_600_000
    await report(error)
    expect(sent).toHaveLength(2)
  })

  test('never throw, also when they cannot be sent', async () => {
    const report = createErrorReports({
      enabled: true,
      send: () => Promise.reject(new Error('no')),
      version: '1',
      monotonicMs: () => 0,
    })
    await expect(report(new Error('x'))).resolves.toBeUndefined()
  })
})
