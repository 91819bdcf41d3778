import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentSettings } from '../../src/agent/config.ts'
import type { Settings } from '../../src/lib/settings.ts'
import { serverSettings } from '../../src/server/config.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

function table(settings: Settings): string[] {
  return Object.entries(settings).map(([name, { description, presetText, required }]) => {
    const preset = required ? 'required' : presetText ? `\`${presetText}\`` : ''
    return `| \`${name}\` | ${description.replaceAll('<', '\\<')} | ${preset} |`
  })
}

test.each([
  ['service', serverSettings],
  ['agent', agentSettings],
])('the README lists every setting of the %s as it is read', (_name, settings: Settings) => {
  const readme = read('README.md').replaceAll(/ +/g, ' ')
  for (const row of table(settings)) expect(readme).toContain(row.replaceAll(/ +/g, ' '))
})

const pages = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'))

test.each(['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)])(
  '%s links to what is there',
  (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link ?? '')
    const broken = links.filter((link) => !existsSync(new URL(link, new URL(path, root))))
    expect(broken).toEqual([])
  },
)
