import { describe, expect, test } from 'vitest'
import { parseCanaries } from '../../../src/agent/self-doubt/parse-canaries.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => `10.0.0.${at}:53`).join(',')

describe('PICKET_CANARIES', () => {
  test('takes addresses and names with their ports', () => {
    expect(parseCanaries('10.0.0.1:443, [fd00::1]:53,proxy.corp.example:3128 ,gateway:1')).toEqual({
      value: [
        { host: '10.0.0.1', port: 443 },
        { host: 'fd00::1', port: 53 },
        { host: 'proxy.corp.example', port: 3128 },
        { host: 'gateway', port: 1 },
      ],
    })
  })

  test('takes ten', () => {
    expect(parseCanaries(many(10))).toMatchObject({ value: { length: 10 } })
  })

  test.each([
    ['eleven', many(11)],
    ['no port', '10.0.0.1'],
    ['port 0', '10.0.0.1:0'],
    ['port 65536', '10.0.0.1:65536'],
    ['a URL', 'https://10.0.0.1:443'],
    ['IPv6 without brackets', 'fd00::1:53'],
    ['a name in brackets', '[gateway]:53'],
    ['an address of three parts', '10.0.1:53'],
    ['a part above 255', '10.0.0.256:53'],
    ['an empty label', 'proxy..example:53'],
    ['a user', 'me@proxy.example:53'],
    ['a space', 'proxy example:53'],
    ['nothing between commas', '10.0.0.1:53,,10.0.0.2:53'],
    ['a name of 254 characters', `${'a'.repeat(63)}.`.repeat(4).slice(0, 254).concat(':53')],
  ])('refuses %s, and says what is allowed', (_, text) => {
    expect(parseCanaries(text)).toEqual({ allowed: expect.stringContaining('at most 10 addresses such as') })
  })
})
