import type { Settings } from '../lib/settings.ts'

/** The settings of a command as a table for `--help`: name, preset, meaning. */
export function settingsHelp(title: string, settings: Settings): string {
  const rows = Object.entries(settings).map(([name, { description, presetText, required }]) => ({
    name,
    meaning: `${description} (${required ? 'required' : presetText || 'not set'})`,
  }))
  const width = Math.max(...rows.map(({ name }) => name.length))
  return [
    `\n${title}, from the environment:`,
    ...rows.map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`),
  ].join('\n')
}
