import { expect, test } from 'vitest'
import type { Variable } from '../../src/contract/variable.ts'
import { mergeVariables } from '../../src/rules/merge-variables.ts'

const variable = (key: string, value: string, secret = false): Variable => ({
  key,
  value,
  locked: false,
  secret,
})
const [ofCheck, ofGroup, ofAccount] = ['check', 'group', 'account']

test.each<[string, Variable[][], Variable[]]>([
  ['no levels', [], []],
  ['empty levels', [[], []], []],
  [
    'different keys: all of them',
    [[variable('A', ofCheck)], [variable('B', ofGroup)], [variable('C', ofAccount)]],
    [variable('A', ofCheck), variable('B', ofGroup), variable('C', ofAccount)],
  ],
  [
    'one key at every level: the first level has it',
    [[variable('A', ofCheck)], [variable('A', ofGroup)], [variable('A', ofAccount)]],
    [variable('A', ofCheck)],
  ],
  [
    'a key that the first level leaves out: the next has it',
    [[], [variable('A', ofGroup)], [variable('A', ofAccount)]],
    [variable('A', ofGroup)],
  ],
  ['an empty value is a value', [[variable('A', '')], [variable('A', ofAccount)]], [variable('A', '')]],
  [
    'the secrecy of the level behind does not carry over',
    [[variable('A', 'open')], [variable('A', 'hidden', true)]],
    [variable('A', 'open')],
  ],
  [
    'letters of another case are another key',
    [[variable('a', ofCheck)], [variable('A', ofAccount)]],
    [variable('a', ofCheck), variable('A', ofAccount)],
  ],
  [
    'names of an object’s own parts are keys like any other',
    [[variable('__proto__', ofCheck)], [variable('constructor', ofAccount)]],
    [variable('__proto__', ofCheck), variable('constructor', ofAccount)],
  ],
  [
    'a key twice in one level: the first counts',
    [[variable('A', '1'), variable('A', '2')]],
    [variable('A', '1')],
  ],
])('%s', (_what, levels, merged) => {
  expect(mergeVariables(...levels)).toEqual(merged)
})
