import { bringUpToDate } from './open-storage.ts'

export async function runMigrate(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const applied = await bringUpToDate(env)
  const said = applied.length > 0 ? `applied: ${applied.join(', ')}` : 'the schema is up to date'
  process.stdout.write(`${said}\n`)
}
