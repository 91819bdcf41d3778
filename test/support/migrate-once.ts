import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'

// A process of its own that brings the database of its first argument up to date and prints what it applied, as JSON.
const database = await openDatabase(process.argv[2] ?? '')
process.stdout.write(JSON.stringify(await migrate(database)))
await database.close()
