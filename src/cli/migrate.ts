import { withStorage } from './open-storage.ts'

export function runMigrate(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  return withStorage(env, async (_database, applied) => {
    const said = applied.length > 0 ? `applied: ${applied.join(', ')}` : 'the schema is up to date'
    process.stdout.write(`${said}\n`)
  })
}
