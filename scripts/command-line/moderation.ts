import { Argument, type Command, Option } from 'commander'
import { reviewKinds, reviewStatuses } from '../../pipeline/model/review.ts'
import {
  anyId,
  domain,
  instant,
  path,
  readDomains,
  readId,
  readWholeBetween,
  reason,
  rid,
} from './values.ts'

const reviewId = readId('an id that `review list` prints')
const auditId = readId('an id that `audit list` prints')

/** Adds commands about submissions that wait for review. */
export function addReviews(program: Command): void {
  const review = program.command('review').description('review submissions')
  review
    .command('list')
    .description('list reviews, newest first')
    .addOption(
      new Option('--status <status>', 'status of the review')
        .choices([...reviewStatuses, 'all'])
        .default('pending'),
    )
    .addOption(new Option('--kind <kind>', 'kind of submission').choices(reviewKinds))
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/reviews.ts')).printReviews(options))
  review
    .command('show')
    .description('print a review and its submission as JSON')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .action(async id => (await import('../commands/reviews.ts')).showReview(id))
  review
    .command('approve')
    .description('approve a submission')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .option('--digest <digest>', 'fail if the submission has changed since it was read', anyId)
    .option('--notes <text>', 'reason', reason)
    .action(async (id, options) =>
      (await import('../commands/reviews.ts')).decideReview('review.approve', id, options),
    )
  review
    .command('reject')
    .description('reject a submission')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .option('--digest <digest>', 'fail if the submission has changed since it was read', anyId)
    .requiredOption('--notes <text>', 'reason', reason)
    .action(async (id, options) =>
      (await import('../commands/reviews.ts')).decideReview('review.reject', id, options),
    )
}

/** Adds commands about held-back removals. */
export function addHeld(program: Command): void {
  const held = program
    .command('held')
    .description('review removals held back because there were too many in one night')
    .addHelpText(
      'after',
      '\nExamples:\n  registry held list\n  registry held release acme.example\n  registry held drop --all',
    )
  held
    .command('list')
    .description('list publishers with held-back removals, and what each would lose')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/held.ts')).listHeld(options))
  held
    .command('release')
    .description('apply the removals: grants end, and properties become stale')
    .argument('[domains...]', 'publishers that `held list` prints', readDomains)
    .option('--all', 'all publishers with held-back removals')
    .action(async (chosen, { all }) =>
      (await import('../commands/held.ts')).releaseHeld({ domains: chosen, all }),
    )
  held
    .command('drop')
    .description('discard the removals: rows stay as they are, and the files are crawled again now')
    .argument('[domains...]', 'publishers that `held list` prints', readDomains)
    .option('--all', 'all publishers with held-back removals')
    .action(async (chosen, { all }) =>
      (await import('../commands/held.ts')).dropHeld({ domains: chosen, all }),
    )
}

/** Adds commands with which the operator corrects records: policies, merges, take-downs. */
export function addCorrections(program: Command): void {
  program
    .command('policy')
    .description('manage the registry’s own policies')
    .command('publish')
    .description('publish policies of the registry, and print their IDs and revisions')
    .argument('<file>', 'JSON file with a policy or a list of them (- for standard input)', path)
    .action(async file => (await import('../commands/policies.ts')).publishPolicies(file))

  program
    .command('merge')
    .description('merge two records of the same thing')
    .addArgument(new Argument('<kind>', 'kind of the records').choices(['property', 'collection']))
    .argument('<alias>', 'registry ID (rid) of the record that becomes an alias, permanently', rid)
    .argument('<canonical>', 'registry ID (rid) of the record that stays', rid)
    .option('--evidence <text>', 'why they are the same thing (public)', reason)
    .action(async (kind, alias, canonical, options) =>
      (await import('../commands/merge.ts')).mergeRecords(kind, alias, canonical, options),
    )

  program
    .command('takedown')
    .description('delete a domain and its subdomains, and block them from now on')
    .argument('[domain]', 'the domain', domain)
    .option('--reason <text>', 'reason (private)', reason)
    .addOption(
      new Option(
        '--undo',
        'let the domain be crawled again (deleted data stays deleted)',
      ).conflicts('dryRun'),
    )
    .option('--dry-run', 'print what would be deleted, and change nothing')
    .option(
      '--confirm <domain>',
      'repeat the domain to confirm (deleted data cannot be restored)',
      domain,
    )
    .addOption(
      new Option('--list', 'list the domains that have been taken down').conflicts([
        'reason',
        'undo',
        'dryRun',
        'confirm',
      ]),
    )
    .addOption(new Option('--json', 'with `--list`: print JSON').implies({ list: true }))
    .action(async (argument, options) =>
      (await import('../commands/takedown.ts')).runTakedown(argument, options),
    )
}

/** Adds commands about the audit log. */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('read the audit log: who changed what')
  audit
    .command('list')
    .description('list entries, newest first')
    .option(
      '--by <id>',
      'only by this key, person or organization, or by `command` or `registry`',
      anyId,
    )
    .option('--operation <name>', 'only this operation, or a prefix such as `member.`', anyId)
    .option('--domain <domain>', 'only about this domain', domain)
    .option('--since <time>', 'only since this time, ISO 8601', instant)
    .option('--limit <n>', 'at most this many', readWholeBetween(1, 1_000_000), 100)
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/audit.ts')).listAudit(options))
  audit
    .command('show')
    .description('print an entry and what it changed')
    .argument('<id>', 'id that `audit list` prints', auditId)
    .action(async id => (await import('../commands/audit.ts')).showAudit(id))
  audit
    .command('revert')
    .description('revert a write with another write, or print why it cannot be reverted')
    .argument('<id>', 'id that `audit list` prints', auditId)
    .action(async id => (await import('../commands/audit.ts')).revertAudit(id))
}
