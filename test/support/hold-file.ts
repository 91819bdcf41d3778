import { DatabaseSync } from 'node:sqlite'

// A process of its own that holds the SQLite file of its first argument for itself, says so, and lets it go when its
// standard input ends.
const database = new DatabaseSync(process.argv[2] ?? '')
database.exec('begin exclusive')
process.stdout.write('held\n')
process.stdin.resume().once('end', () => {
  database.exec('rollback')
  database.close()
})
