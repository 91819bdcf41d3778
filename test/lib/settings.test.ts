import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from '../../src/lib/secret.ts'
import {
  choice,
  integer,
  port,
  readSettings,
  SettingsError,
  setting,
  urlParser,
} from '../../src/lib/settings.ts'

const settings = {
  PORT: port('where to listen', 8081),
  LEVEL: choice('how loud', ['INFO', 'WARN'], 'INFO'),
  COUNT: integer('how many', { min: 1, max: 10 }, 3),
  TARGET: setting<URL>('whom to call', urlParser(['https:']), { required: true }),
  KEY: setting<Secret>(
    'what opens it',
    (text) => (text.length > 3 ? { value: new Secret(text) } : { allowed: 'longer' }),
    {
      secret: true,
    },
  ),
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings(settings, env)
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.faults.map(({ text }) => text)
  }
}

test('presets hold where nothing is set, and an empty variable counts as not set', () => {
  const values = readSettings(settings, { TARGET: 'https://a.example', COUNT: '' })
  expect(values).toMatchObject({ PORT: 8081, LEVEL: 'INFO', COUNT: 3, KEY: undefined })
})

test('every fault is named at once, with what is allowed', () => {
  expect(faultsOf({ PORT: '70000', LEVEL: 'loud', COUNT: '1.5', TARGET: 'http://a' })).toEqual([
    'PORT must be a whole number from 0 to 65535, was "70000"',
    'LEVEL must be one of INFO, WARN, was "loud"',
    'COUNT must be a whole number from 1 to 10, was "1.5"',
    'TARGET must be a URL that starts with https://, was "http://a"',
  ])
})

test('a required setting that is missing is said with what it is for', () => {
  expect(faultsOf({})).toEqual(['TARGET is required: whom to call'])
})

test('the value of a secret setting is in no fault', () => {
  expect(faultsOf({ TARGET: 'https://a', KEY: 'abc' })).toEqual(['KEY must be longer'])
})

test('words are taken in any case of letters', () => {
  expect(readSettings(settings, { TARGET: 'https://a', LEVEL: 'warn' }).LEVEL).toBe('WARN')
})

test('a secret shows itself to nobody who does not ask by name', () => {
  const secret = new Secret('hunter2')
  const shown = [String(secret), JSON.stringify({ secret }), inspect({ secret }), `${secret}`].join()
  expect(shown).not.toContain('hunter2')
  expect(secret.reveal()).toBe('hunter2')
})
