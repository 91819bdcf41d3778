import { readFileSync } from 'node:fs'

/** The version of this package, from its own package.json: two folders up from here, in src as in dist. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version)
  return '0.0.0'
}
