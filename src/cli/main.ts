#!/usr/bin/env node
import { Command } from 'commander'
import { agentSettings } from '../agent/config.ts'
import { exitCodes, explain } from '../lib/daemon.ts'
import { packageVersion } from '../lib/package-version.ts'
import { serverSettings } from '../server/config.ts'
import type { AuditOptions } from './audit.ts'
import type { BackupOptions } from './backup.ts'
import type { RestoreOptions } from './restore.ts'
import type { RunOptions } from './run.ts'
import { runSettings } from './run-settings.ts'
import { settingsHelp } from './settings-help.ts'
import {
  settingsOfAudit,
  settingsOfKeys,
  settingsOfMigration,
  settingsOfStorage,
  settingsOfUp,
} from './settings-of-commands.ts'

/** An option that may be given several times. */
const gather = (value: string, before: readonly string[] = []) => [...before, value]

const program = new Command('picket')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.badSettings))
  .description(
    'Synthetic monitoring that you run yourself: a service, and agents that probe from where you put them.',
  )
  .version(packageVersion())
  .showHelpAfterError('(picket --help explains)')
  .addHelpText(
    'after',
    `
Examples:
  picket up                       everything on this machine, from http://127.0.0.1:3000
  picket run checks.yaml          run the checks of a file once, without a service
  API_KEY=pl_… API_URL=https://picket.example.com picket agent

Settings come from the environment: picket server --help and picket agent --help list them.`,
  )

program
  .command('up')
  .description('run the service over an SQLite file and one agent, as two watched processes')
  .addHelpText('after', settingsHelp('Settings of the service', settingsOfUp.service))
  .addHelpText('after', settingsHelp('Settings of the agent', settingsOfUp.agent))
  .action(async () => {
    const { runUp } = await import('./up.ts')
    await runUp(process.env)
  })

program
  .command('server')
  .description('run the service alone')
  .addHelpText('after', settingsHelp('Settings', serverSettings))
  .action(async () => {
    const [{ runServer }, { readServerConfig }, { processLogger }] = await Promise.all([
      import('../server/main.ts'),
      import('../server/config.ts'),
      import('./process-logger.ts'),
    ])
    await runServer(readServerConfig(process.env), processLogger('server', process.env))
  })

program
  .command('agent')
  .description('run an agent alone, with a key of its location')
  .addHelpText('after', settingsHelp('Settings', agentSettings))
  .action(async () => {
    const [{ runAgent }, { readAgentConfig }, { processLogger }] = await Promise.all([
      import('../agent/main.ts'),
      import('../agent/config.ts'),
      import('./process-logger.ts'),
    ])
    await runAgent(readAgentConfig(process.env), processLogger('agent', process.env))
  })

program
  .command('run')
  .description('run the checks of JSON or YAML files once, here, without a service')
  .argument('<file...>', 'files of checks; - reads standard input')
  .option('--json', 'print one JSON document instead of text')
  .option('--concurrency <n>', 'checks to run at once', '10')
  .option(
    '--variable <KEY=VALUE>',
    'a variable of the checks, over those of the files; may be given again',
    gather,
  )
  .option('--secret <KEY>', 'a secret one, its value read from the environment; may be given again', gather)
  .addHelpText('after', settingsHelp('Settings', runSettings))
  .addHelpText(
    'after',
    '\nExit code: 0 every check passed or was degraded, 1 one failed or could not be made, 2 the input cannot be used.',
  )
  .action(async (files: string[], options: RunOptions) => {
    const { runFiles } = await import('./run.ts')
    process.exitCode = await runFiles(files, options)
  })

program
  .command('migrate')
  .description('bring the database schema up to date and end')
  .addHelpText('after', settingsHelp('Settings', settingsOfMigration))
  .action(async () => {
    const { runMigrate } = await import('./migrate.ts')
    await runMigrate(process.env)
  })

program
  .command('audit')
  .description('prove from the ledger that every slot that was expected has one outcome, or a reason')
  .option('--from <time>', 'ISO 8601 or UNIX timestamp; a day before --to without')
  .option('--to <time>', 'ISO 8601 or UNIX timestamp; now without')
  .option('--json', 'print one JSON document instead of text')
  .addHelpText('after', settingsHelp('Settings', settingsOfAudit))
  .addHelpText(
    'after',
    '\nOf all accounts. Exit code: 0 every slot has one outcome, or is still open; 1 one has none, or two runs; 2 the ledger cannot be read, or not that far back.',
  )
  .action(async (options: AuditOptions) => {
    const { runAudit } = await import('./audit.ts')
    process.exitCode = await runAudit(process.env, options)
  })

program
  .command('backup')
  .description('copy the SQLite database of the service to a file, while the service runs')
  .argument('<file>', 'to be made; must not exist')
  .option('--with-key', 'put the key of the secrets in it beside it, as <file>.key')
  .addHelpText('after', settingsHelp('Settings', settingsOfStorage))
  .action(async (file: string, options: BackupOptions) => {
    const { runBackup } = await import('./backup.ts')
    await runBackup(process.env, file, options)
  })

program
  .command('restore')
  .description('make a backup the SQLite database of the service, which must not run')
  .argument('<file>', 'as "picket backup" made it')
  .option('--replace', 'also where there is a database, which is kept under another name')
  .addHelpText('after', settingsHelp('Settings', settingsOfStorage))
  .action(async (file: string, options: RestoreOptions) => {
    const { runRestore } = await import('./restore.ts')
    await runRestore(process.env, file, options)
  })

const keys = program
  .command('keys')
  .description('API keys of the account, and keys of data-center locations')
  .addHelpText('after', settingsHelp('Settings', settingsOfKeys))
keys
  .command('list')
  .description('list them, masked')
  .action(async () => {
    const { listKeys } = await import('./keys.ts')
    await listKeys(process.env)
  })
keys
  .command('create')
  .description('make a new API key and print it once')
  .argument('<name>', 'what it is for')
  .option('--user <person>', 'whose key it is; a service key without')
  .action(async (name: string, { user }: { user?: string }) => {
    const { createKey } = await import('./keys.ts')
    await createKey(process.env, name, user)
  })
keys
  .command('create-location')
  .description('make a key for agents of a data-center location and print it once')
  .argument('<location>', 'such as eu-west-1')
  .action(async (location: string) => {
    const { createLocationKey } = await import('./keys.ts')
    await createLocationKey(process.env, location)
  })
keys
  .command('revoke')
  .description('revoke a key: it opens nothing from then on')
  .argument('<id>', 'as "picket keys list" shows it')
  .action(async (id: string) => {
    const { revokeKey } = await import('./keys.ts')
    await revokeKey(process.env, id)
  })

try {
  await program.parseAsync()
} catch (error) {
  const { text, exitCode } = explain(error)
  process.stderr.write(`${text}\n`)
  process.exit(exitCode)
}
