import type { KyselyPlugin } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'

// A process of its own that migrates the database of its first argument and kills itself before the statement of its
// second, counted from 0. Prints how many there were where it came to the end.
const database = await openDatabase(process.argv[2] ?? '')
const last = Number(process.argv[3])
let statements = 0
const dying: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (statements === last) process.kill(process.pid, 'SIGKILL')
    statements += 1
    return node
  },
  transformResult: async ({ result }) => result,
}
const doomed: Database = {
  ...database,
  kysely: database.kysely.withPlugin(dying),
  transaction: (work) => database.transaction((db) => work(db.withPlugin(dying))),
}
await migrate(doomed)
process.stdout.write(String(statements))
await database.close()
