import { type Command, Option } from 'commander'
import { failureGroupings } from '../../pipeline/maintenance/inspect/crawl-failures.ts'
import { domain, path, readWholeBetween, verifierKey } from './values.ts'

/** Adds commands that check, copy and count the stores. */
export function addStores(program: Command): void {
  program
    .command('stats')
    .description('print what the index contains')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/stats.ts')).printStats(options))

  program
    .command('verify')
    .description(
      'compare all stores, and check the whole event log (exits with 1 if anything is wrong)',
    )
    .argument('[backup]', 'folder created by `backup`, to check that instead', path)
    .action(async backup =>
      backup === undefined
        ? (await import('../commands/verify.ts')).verifyStores()
        : (await import('../commands/backup.ts')).verifyBackup(backup),
    )

  program
    .command('log')
    .description('check the tamper-evident log of all events')
    .command('verify')
    .description(
      'check a log from its signed head to every event (exits with 1 if anything is wrong)',
    )
    .argument(
      '[place]',
      'URL or bucket of a registry, or folder of a log (by default that of DATA_DIR, or of the registry it follows)',
      path,
    )
    .option('--key <key>', 'public key that you trust, as name+id+key', verifierKey)
    .option(
      '--remember <file>',
      'compare with the head in this file, then keep the new one there',
      path,
    )
    .action(async (place, options) =>
      (await import('../commands/log.ts')).verifyPublishedLog(place, options),
    )

  program
    .command('rebuild')
    .description(
      'rebuild the serving store and the event files from the record, and publish a snapshot',
    )
    .action(async () => (await import('../commands/verify.ts')).rebuildStores())

  program
    .command('migrate')
    .description('migrate the stores to this version’s format (each start does this too)')
    .option('--dry-run', 'print which migrations would run, and change nothing')
    .action(async options => (await import('../commands/migrate.ts')).migrateStores(options))

  program
    .command('backup')
    .description('back up all data that cannot be rebuilt, as of one commit')
    .argument('<dir>', 'folder to create, outside DATA_DIR', path)
    .action(async dir => (await import('../commands/backup.ts')).backUp(dir))

  program
    .command('restore')
    .description('restore a backup into DATA_DIR and rebuild the other stores from it')
    .argument('<dir>', 'folder created by `backup`', path)
    .option('--force', 'replace what is in DATA_DIR')
    .addHelpText('after', '\nExample:\n  registry restore /var/backups/registry/2026-11-28')
    .action(async (dir, options) =>
      (await import('../commands/backup.ts')).restoreBackup(dir, options),
    )
}

/** Adds commands that answer an operator's questions. */
export function addInspection(program: Command): void {
  program
    .command('status')
    .description('print the health of the registry (exits with 1 if anything is wrong)')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/status.ts')).printStatus(options))

  program
    .command('why')
    .description('print how the files of a domain were crawled, when they are due next, and why')
    .argument('<domain>', 'the domain', domain)
    .option('--json', 'print JSON')
    .action(async (argument, options) =>
      (await import('../commands/why.ts')).explainDomain(argument, options),
    )

  program
    .command('failures')
    .description('print the files that could not be read on the last attempt')
    .addOption(
      new Option('--by <what>', 'what to group them by')
        .choices(failureGroupings)
        .default('reason'),
    )
    .option('--limit <n>', 'at most this many groups', readWholeBetween(1, 10_000), 20)
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/failures.ts')).printFailures(options))

  program
    .command('top')
    .description('show the crawl of a running registry until interrupted')
    .option('--interval <seconds>', 'seconds between two readings', readWholeBetween(1, 3_600), 2)
    .option('--times <n>', 'stop after this many readings', readWholeBetween(1, 1_000_000))
    .action(async options => (await import('../commands/top.ts')).showCrawl(options))
}
