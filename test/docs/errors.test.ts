import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiErrors } from '../../src/contract/errors.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/errors.md', root), 'utf8')

/** The first argument of every AppError, wherever it is thrown. */
function codesInSource(): string[] {
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(new URL(path, root), 'utf8'),
  )
  const codes = sources.flatMap((source) =>
    [...source.matchAll(/(?:new AppError|super)\(\s*'([A-Z_]+)'/g)].map(([, code]) => code ?? ''),
  )
  return [...new Set(codes)].sort()
}

test('the page of errors names every code of the source, and no other', () => {
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, code]) => code ?? '')
  expect(documented.sort()).toEqual(codesInSource())
})

test('the page of errors names every status of the API, and no other', () => {
  const documented = [...page.matchAll(/^\| (\d{3}) +\| (.+?) +\|/gm)].map(
    ([, status, error]) => `${status} ${error}`,
  )
  expect(documented).toEqual(
    Object.values(apiErrors).map(({ statusCode, error }) => `${statusCode} ${error}`),
  )
})
