import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ApiCheck } from '../../src/contract/checks/api/check.ts'
import { Conclusion } from '../../src/contract/result.ts'
import { validator } from '../../src/lib/validate.ts'

const readCheck = validator(ApiCheck)
const minimal = { name: 'a', request: { method: 'GET', url: 'http://localhost/' } }

function faultsOf(
  read: ReturnType<typeof readCheck> | ReturnType<ReturnType<typeof validator<typeof Conclusion>>>,
) {
  return read.kind === 'invalid' ? read.faults.map(({ text }) => text) : []
}

describe('what is wrong is said by field, fault and what is allowed', () => {
  test.each([
    [
      { ...minimal, frequency: 7 },
      '"frequency" must be one of [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440], was 7',
    ],
    [{ ...minimal, name: undefined }, '"name" is required'],
    [{ ...minimal, name: '' }, '"name" must not be empty'],
    [{ ...minimal, muted: 'yes' }, '"muted" must be a boolean, was "yes"'],
    [{ ...minimal, description: 'x'.repeat(501) }, '"description" must have at most 500 characters'],
    [{ ...minimal, degradedResponseTime: 30_001 }, '"degradedResponseTime" must be 30000 or less, was 30001'],
    [{ ...minimal, groupId: 'g' }, '"groupId" must be a whole number or null, was "g"'],
    [
      { ...minimal, retryStrategy: { type: 'X' } },
      '"retryStrategy.type" must be one of ["FIXED", "LINEAR", "EXPONENTIAL", "SINGLE_RETRY"], was "X"',
    ],
    [
      { ...minimal, name: 'a\u0000' },
      '"name" must not contain the character U+0000, nor half of a surrogate pair',
    ],
    [{ ...minimal, tags: Array(101).fill('a') }, '"tags" must have at most 100 items'],
    [{ ...minimal, locations: ['eu-west-1', 'eu-west-1'] }, '"locations" must not name an item twice'],
    [
      { ...minimal, request: { ...minimal.request, headers: [{ key: 'a' }, {}] } },
      '"request.headers[1].key" is required',
    ],
  ])('%#', (input, text) => {
    expect(faultsOf(readCheck(input))).toEqual([text])
  })

  test('every fault of an input is named at once', () => {
    expect(faultsOf(readCheck({ muted: 1, frequency: 3 }))).toHaveLength(4)
  })

  test('of a tagged union only the member that was meant is spoken of', () => {
    const read = validator(Conclusion)
    expect(faultsOf(read({ kind: 'missed', reason: 'lazy' }))).toEqual([
      '"reason" must be one of ["late", "not-claimed", "service-down", "location-unavailable"], was "lazy"',
    ])
    expect(faultsOf(read({ kind: 'else' }))).toEqual([
      '"kind" must be one of ["judged", "missed", "errored"], was "else"',
    ])
  })

  test.each([null, [], 'text', 7, undefined])('%j as a whole is refused with a sentence', (input) => {
    expect(faultsOf(readCheck(input))[0]).toMatch(/^the input must be an object/)
  })
})

describe('input is taken leniently and kept exactly', () => {
  test('defaults are filled at every depth, and an empty sub-object counts as given', () => {
    const read = readCheck({ ...minimal, alertSettings: {} })
    expect(read).toMatchObject({
      kind: 'valid',
      value: {
        frequency: 10,
        alertSettings: { reminders: { amount: 0, interval: 5 } },
        request: { bodyType: 'NONE' },
      },
    })
  })

  test('null for an optional field that cannot be null counts as left out', () => {
    expect(readCheck({ ...minimal, tags: null })).toMatchObject({ kind: 'valid', value: { tags: [] } })
  })

  test('unknown keys are dropped, prototype keys among them', () => {
    const read = readCheck(
      JSON.parse('{"name":"a","id":"","__proto__":{"muted":true},"request":{"url":"http://a/"}}'),
    )
    expect(read.kind).toBe('valid')
    if (read.kind === 'valid') expect(read.value).toMatchObject({ name: 'a', muted: false })
    expect(read).not.toHaveProperty('value.id')
  })

  test('the input itself is not changed', () => {
    const input = structuredClone(minimal)
    readCheck(input)
    expect(input).toEqual(minimal)
  })

  test('a list in a query may be one word, a number text', () => {
    const read = validator(Type.Object({ tag: Type.Array(Type.String()), limit: Type.Integer() }), {
      convert: true,
    })
    expect(read({ tag: 'a', limit: '5' })).toEqual({ kind: 'valid', value: { tag: ['a'], limit: 5 } })
    expect(read({ tag: 'a', limit: 'x' }).kind).toBe('invalid')
  })
})
