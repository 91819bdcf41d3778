import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSealed, newSealingSecret, Sealer } from '../../src/lib/sealing.ts'
import { Secret } from '../../src/lib/secret.ts'

const secret = new Secret(newSealingSecret())
const sealer = new Sealer(secret)
const place = ['variables', 'an account', 'TOKEN', 'value']
const unreadable = expect.objectContaining({ code: 'SECRET_UNREADABLE' })

test('whatever was sealed opens again, with another sealer of the same secret too', () => {
  const same = new Sealer(new Secret(secret.reveal()))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, identity) => {
      const sealed = sealer.seal(text, identity)
      expect(isSealed(sealed)).toBe(true)
      expect(same.open(sealed, identity)).toBe(text)
    }),
  )
})

test('the same text sealed twice gives two texts, and neither holds it in any form', () => {
  const text = 'correct horse battery staple'
  const sealed = [sealer.seal(text, place), sealer.seal(text, place)]
  expect(sealed[0]).not.toBe(sealed[1])
  for (const one of sealed) {
    const bytes = Buffer.from(one.slice(3), 'base64url').toString('latin1')
    for (const form of [one, bytes]) expect(form).not.toContain('horse')
  }
})

describe('a sealed text does not open', () => {
  const sealed = sealer.seal('a secret', place)

  test('with another secret', () => {
    const other = new Sealer(new Secret(newSealingSecret()))
    expect(() => other.open(sealed, place)).toThrow(unreadable)
  })

  test.each([
    [['variables', 'another account', 'TOKEN', 'value']],
    [['variables', 'an account', 'TOKEN2', 'value']],
    [['variables', 'an account', 'TOKEN', 'value', '']],
    [['variables', 'an account","TOKEN', 'value']],
    [[]],
  ])('in the place of another: %j', (identity) => {
    expect(() => sealer.open(sealed, identity)).toThrow(unreadable)
  })

  test('when any bit of it was changed', () => {
    const bytes = Buffer.from(sealed.slice(3), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(() => sealer.open(`v1:${changed.toString('base64url')}`, place)).toThrow(unreadable)
    }
  })

  test('when it was cut short, at whatever length', () => {
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => sealer.open(sealed.slice(0, length), place)).toThrow(unreadable)
  })
})

test('the error of a text that does not open names neither text nor place', () => {
  try {
    sealer.open('v1:c2VjcmV0LXRleHQ', ['table-of-secrets'])
    expect.unreachable()
  } catch (error) {
    const { message, cause } = error as Error
    expect(`${message} ${cause}`).not.toMatch(/c2Vj|table-of/)
  }
})
