import type { Command } from 'commander'
import { path } from './values.ts'

/** Commands that check, copy and count the stores. */
export function addStores(program: Command): void {
  program
    .command('stats')
    .description('print what the index holds')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/stats.ts')).printStats(options))

  program
    .command('verify')
    .description('check every store against the others; exit 1 with the differences')
    .action(async () => (await import('../commands/verify.ts')).verifyStores())

  program
    .command('rebuild')
    .description('make the serving store and the event files again from the index')
    .action(async () => (await import('../commands/verify.ts')).rebuildStores())

  program
    .command('migrate')
    .description('bring the stores to the format of this version, as each start does')
    .option('--dry-run', 'print which migrations would run, and change nothing')
    .action(async options => (await import('../commands/migrate.ts')).migrateStores(options))

  program
    .command('backup')
    .description('copy the stores that nothing else can be made of, as of one commit')
    .argument('<dir>', 'folder to make; it may not be there yet', path)
    .action(async dir => (await import('../commands/backup.ts')).backUp(dir))

  program
    .command('restore')
    .description('put a backup into DATA_DIR and make the other stores from it')
    .argument('<dir>', 'what `backup` has made', path)
    .option('--force', 'take the place of what is in DATA_DIR')
    .option('--keep-accounts', 'restore the index only, and replay what the accounts did since')
    .action(async (dir, options) =>
      (await import('../commands/backup.ts')).restoreBackup(dir, options),
    )

  program
    .command('replay')
    .description('carry out again in the index what the accounts say was done and it does not know')
    .action(async () => (await import('../commands/backup.ts')).replayAudit())
}
