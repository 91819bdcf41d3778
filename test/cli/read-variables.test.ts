import { expect, test } from 'vitest'
import { readVariables } from '../../src/cli/read-variables.ts'

test('a variable is what stands before and after the first =, a secret is read from the environment', () => {
  const { variables, faults } = readVariables(
    { variable: ['BASE=http://a.test/?x=1', 'EMPTY='], secret: ['TOKEN'] },
    { TOKEN: 'hunter2' },
  )
  expect(faults).toEqual([])
  expect(variables).toEqual([
    { key: 'BASE', value: 'http://a.test/?x=1', locked: false, secret: false },
    { key: 'EMPTY', value: '', locked: false, secret: false },
    { key: 'TOKEN', value: 'hunter2', locked: false, secret: true },
  ])
})

test('what is neither is refused with what is allowed', () => {
  expect(readVariables({ variable: ['BASE', '=x'], secret: ['NOT_SET'] }, {}).faults).toEqual([
    '--variable must be KEY=VALUE, was "BASE"',
    '--variable must be KEY=VALUE, was "=x"',
    '--secret must name an environment variable that is set, was "NOT_SET"',
  ])
})
