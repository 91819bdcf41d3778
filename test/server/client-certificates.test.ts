import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientCertificateBody, costlyKey, encryptedKey, keyPair, passphrase } from '../support/key-pairs.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/client-certificates'
const create = (overrides: Record<string, unknown> = {}) =>
  service.api('POST', url, clientCertificateBody(overrides))

test('a certificate comes back as it was sent, without its key and passphrase, from each operation', async () => {
  const ca = `${keyPair.ca}\r\nsome words\r\n${keyPair.ca}`
  const created = await create({ host: '*.Shop.example', ca, key: encryptedKey('pkcs8'), passphrase })
  expect(created.statusCode, created.body).toBe(201)
  const certificate = created.json()
  expect(certificate).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    host: '*.Shop.example',
    cert: keyPair.cert,
    ca,
    created_at: '2026-03-01T12:00:00.000Z',
  })
  const one = await service.api('GET', `${url}/${certificate.id}`)
  expect([one.statusCode, one.json()]).toEqual([200, certificate])
  const list = await service.api('GET', url)
  expect([list.statusCode, list.json()]).toEqual([200, [certificate]])
  const deleted = await service.api('DELETE', `${url}/${certificate.id}`)
  expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
  expect((await service.api('GET', `${url}/${certificate.id}`)).statusCode).toBe(404)
  expect((await service.api('DELETE', `${url}/${certificate.id}`)).statusCode).toBe(404)
})

test('a list is unpaged, the newest first', async () => {
  for (let n = 0; n < 12; n += 1) {
    await create({ host: `h${n}.example` })
    service.clock.advance(1000)
  }
  const hosts = (await service.api('GET', url)).json().map(({ host }: { host: string }) => host)
  expect(hosts).toEqual(Array.from({ length: 12 }, (_, n) => `h${11 - n}.example`))
})

test.each<[string, Record<string, unknown>]>([
  ['a chain', { cert: keyPair.cert + keyPair.ca }],
  ['an expired certificate', { cert: keyPair.expired }],
  ['empty texts for what there is not', { passphrase: '', ca: '' }],
  ['nulls for what there is not', { passphrase: null, ca: null }],
  ['a passphrase that the key does not need', { passphrase }],
  ['a key in the traditional form', { key: encryptedKey('sec1'), passphrase }],
  ['text around the blocks', { cert: `Bag Attributes\n${keyPair.cert}`, key: `# a key\n${keyPair.key}` }],
])('%s is taken', async (_what, overrides) => {
  const answer = await create(overrides)
  expect(answer.statusCode, answer.body).toBe(201)
})

const otherKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

test.each<[string, Record<string, unknown>, string, string]>([
  ['no host', { host: undefined }, 'host', 'is required'],
  ['no certificate', { cert: undefined }, 'cert', 'is required'],
  ['no key', { key: undefined }, 'key', 'is required'],
  ['a certificate that is none', { cert: 'hello' }, 'cert', 'must be PEM'],
  ['one that is cut short', { cert: keyPair.cert.slice(0, 200) }, 'cert', 'must be PEM'],
  ['a good one and a bad one', { cert: keyPair.cert + keyPair.cert.replace('MII', 'AAA') }, 'cert', 'PEM'],
  ['the private key beside it, which would be shown', { cert: keyPair.cert + keyPair.key }, 'cert', 'else'],
  ['a private key in ca', { ca: keyPair.ca + keyPair.key }, 'ca', 'nothing else'],
  ['a ca that is none', { ca: 'hello' }, 'ca', 'must be certificates in PEM'],
  ['a key that is none', { key: 'hello' }, 'key', 'must be one private key in PEM'],
  ['a public key', { key: publicKey }, 'key', 'must be one private key'],
  ['two keys', { key: keyPair.key + otherKey }, 'key', 'must be one private key'],
  ['the key of another certificate', { key: otherKey }, 'key', 'is not the key of the first certificate'],
  [
    'the certificates the wrong way round',
    { cert: keyPair.ca + keyPair.cert },
    'key',
    'the first certificate',
  ],
  ['no passphrase', { key: encryptedKey('pkcs8') }, 'passphrase', 'is required: "key" is encrypted'],
  ['an empty passphrase', { key: encryptedKey('sec1'), passphrase: '' }, 'passphrase', 'is required'],
  [
    'another passphrase',
    { key: encryptedKey('pkcs8'), passphrase: 'x' },
    'passphrase',
    'does not open "key"',
  ],
  [
    'another passphrase ',
    { key: encryptedKey('sec1'), passphrase: 'x' },
    'passphrase',
    'does not open "key"',
  ],
])('%s is refused with 400, the field and what is allowed', async (_what, overrides, field, text) => {
  const answer = await create(overrides)
  expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
  expect(answer.json().message).toContain(text)
  expect(answer.body).not.toContain('PRIVATE KEY')
  expect((await service.api('GET', url)).json()).toEqual([])
})

test('every fault is named at once', async () => {
  const answer = await create({ host: 'a b', cert: 'x', ca: 'y' })
  expect(answer.json().validation.keys).toEqual(['host', 'cert', 'ca'])
})

describe('a key that asks for endless work before it opens is refused without that work', () => {
  // With the work done, each would hold the service up for minutes.
  test.each([
    ['PBKDF2', costlyKey('pbkdf2', [2_147_483_647])],
    ['PBKDF2 with a length of its key', costlyKey('pbkdf2', [2_147_483_647, 32])],
    ['PBKDF2 under the label of a key in clear', costlyKey('pbkdf2', [2_147_483_647], '')],
    ['scrypt', costlyKey('scrypt', [16_384, 8, 65_535])],
  ])('%s', async (_what, key) => {
    const answer = await create({ key, passphrase })
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, ['key']])
    expect(answer.json().message).toContain('at most 2000000 rounds')
  })

  test('and a common one is tried', async () => {
    const answer = await create({ key: costlyKey('scrypt', [16_384, 8, 1]), passphrase })
    expect(answer.json().message).toBe('"passphrase" does not open "key"')
  })
})

describe('a host', () => {
  test.each([
    'localhost',
    'a.b-c.example',
    '*.example.com',
    'under_score.example',
    '10.0.0.1',
    '::1',
    '[::1]',
  ])('may be %s', async (host) => {
    const answer = await create({ host })
    expect([answer.statusCode, answer.json().host]).toEqual([201, host])
  })

  test.each([
    '',
    '*',
    'https://a.example',
    'a.example:443',
    'a.example/x',
    'a.*.example',
    '*a.example',
    'a..b',
    '-a',
  ])('cannot be %j', async (host) => {
    const answer = await create({ host })
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['host']])
  })
})

test('an account has at most 100 certificates: the next one answers 409 and says what to do', async () => {
  const { id } = (await create()).json()
  for (let n = 1; n < 100; n += 1) expect((await create()).statusCode).toBe(201)
  const answer = await create()
  expect(answer.statusCode).toBe(409)
  expect(answer.json().message).toBe('An account has at most 100 client certificates: delete one first')
  await service.api('DELETE', `${url}/${id}`)
  expect((await create()).statusCode).toBe(201)
})
