import { describe, expect, test } from 'vitest'
import { safeMessage, safeStack } from '../../src/agent/safe-stack.ts'
import { AppError } from '../../src/lib/app-error.ts'

const secrets = 'GET https://user:hunter2@target.test/?token=t0ken x-api-key: k3y'

describe('what may be told of an error', () => {
  test('is the fixed text of one of ours', () => {
    expect(safeMessage(new AppError('CODE', 'A fixed text'))).toBe('CODE: A fixed text')
  })

  test.each([
    [new TypeError(secrets), 'TypeError'],
    [Object.assign(new Error(secrets), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED'],
    [Object.assign(new Error('x'), { code: secrets, name: secrets }), 'Error'],
    [secrets, 'an error that is not one'],
  ])('is name and code of a foreign one', (error, message) => {
    expect(safeMessage(error)).toBe(message)
  })

  test('is where it came from, in this package and in Node', () => {
    const stack = safeStack(new Error(secrets))
    expect(stack.split('\n')[1]).toMatch(/^ {4}at (.+ )?\(test\/agent\/safe-stack\.test\.ts:\d+:\d+\)$/)
    expect(stack).not.toContain(process.cwd())
  })

  test('is never a message, however it is dressed up', () => {
    const dressed = new Error(`x\n    at hunter2 (${process.cwd()}/src/hunter2.ts:1:1)`)
    const cause = new AppError('OUTER', 'A fixed text', { cause: new TypeError(secrets, { cause: dressed }) })
    const stack = safeStack(cause)
    expect(stack).toContain('caused by TypeError\n')
    for (const secret of ['hunter2', 't0ken', 'k3y', 'target.test']) expect(stack).not.toContain(secret)
  })

  test('leaves out frames of other folders', () => {
    const error = new Error('x')
    error.stack = 'Error: x\n    at run (/home/somebody/secret-project/a.js:1:2)\n    at node:internal/x:3:4'
    expect(safeStack(error)).toBe('Error\n    at <anonymous> (node:internal/x:3:4)')
  })
})
