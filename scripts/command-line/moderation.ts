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

/** What waits for a person. */
export function addReviews(program: Command): void {
  const review = program.command('review').description('what was handed in and waits for a person')
  review
    .command('list')
    .description('print what waits, newest first')
    .addOption(
      new Option('--status <status>', 'how far it is')
        .choices([...reviewStatuses, 'all'])
        .default('pending'),
    )
    .addOption(new Option('--kind <kind>', 'what it is').choices(reviewKinds))
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/reviews.ts')).printReviews(options))
  review
    .command('show')
    .description('print a review with what was handed in, as JSON')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .action(async id => (await import('../commands/reviews.ts')).showReview(id))
  review
    .command('approve')
    .description('make it count')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .option('--digest <digest>', 'refuse where it is not what was read', anyId)
    .option('--notes <text>', 'why', reason)
    .action(async (id, options) =>
      (await import('../commands/reviews.ts')).decideReview('review.approve', id, options),
    )
  review
    .command('reject')
    .description('refuse it')
    .argument('<id>', 'id that `review list` prints', reviewId)
    .option('--digest <digest>', 'refuse where it is not what was read', anyId)
    .requiredOption('--notes <text>', 'why', reason)
    .action(async (id, options) =>
      (await import('../commands/reviews.ts')).decideReview('review.reject', id, options),
    )
}

/** What the brake holds back. */
export function addHeld(program: Command): void {
  const held = program
    .command('held')
    .description('answers that would take too much at once, held back until somebody looks')
  held
    .command('list')
    .description('print whose answers are held, and what they would take')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/held.ts')).listHeld(options))
  held
    .command('release')
    .description('let them apply: the grants end, the properties turn stale')
    .argument('[domains...]', 'publishers that `held list` prints', readDomains, [])
    .option('--all', 'all that are held')
    .action(async (chosen, { all }) =>
      (await import('../commands/held.ts')).releaseHeld({ domains: chosen, all }),
    )
  held
    .command('drop')
    .description('forget them: the rows stand on, and the files are read again now')
    .argument('[domains...]', 'publishers that `held list` prints', readDomains, [])
    .option('--all', 'all that are held')
    .action(async (chosen, { all }) =>
      (await import('../commands/held.ts')).dropHeld({ domains: chosen, all }),
    )
}

/** What the operator says of records: policies, two that are one, one that may not be known. */
export function addCorrections(program: Command): void {
  program
    .command('policy')
    .description('the registry’s own policies')
    .command('publish')
    .description('publish policies that nobody else changes; prints ids and revisions')
    .argument('<file>', 'JSON: a policy, or a list of them; - is the standard input', path)
    .action(async file => (await import('../commands/policies.ts')).publishPolicies(file))

  program
    .command('merge')
    .description('make one record of two that are the same')
    .addArgument(new Argument('<kind>', 'what the records are').choices(['property', 'collection']))
    .argument('<alias>', 'rid that is to answer with the other one, for ever', rid)
    .argument('<canonical>', 'rid that stays', rid)
    .option('--evidence <text>', 'why they are the same; public', reason)
    .action(async (kind, alias, canonical, options) =>
      (await import('../commands/merge.ts')).mergeRecords(kind, alias, canonical, options),
    )

  program
    .command('takedown')
    .description(
      'delete all that is known of a domain and those below it, and know nothing of them',
    )
    .argument('<domain>', 'the domain', domain)
    .option('--reason <text>', 'why; kept in the private store', reason)
    .option('--undo', 'let it be known again')
    .action(async (argument, options) =>
      (await import('../commands/takedown.ts')).takeDown(argument, options),
    )
}

/** Who had what changed. */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('who had what changed, and what came of it')
  audit
    .command('list')
    .description('print what was asked for, the latest first')
    .option('--by <id>', 'by this key, person, organization, or `command`, `registry`', anyId)
    .option('--operation <name>', 'this operation, or all that begin so: `member.`', anyId)
    .option('--domain <domain>', 'about this domain', domain)
    .option('--since <time>', 'not before this time, ISO 8601', instant)
    .option('--limit <n>', 'at most so many', readWholeBetween(1, 1_000_000), 100)
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/audit.ts')).listAudit(options))
  audit
    .command('show')
    .description('print all that is known of one, with what it changed')
    .argument('<id>', 'id that `audit list` prints', auditId)
    .action(async id => (await import('../commands/audit.ts')).showAudit(id))
  audit
    .command('revert')
    .description('take one back, as one more write; says why where that cannot be')
    .argument('<id>', 'id that `audit list` prints', auditId)
    .action(async id => (await import('../commands/audit.ts')).revertAudit(id))
}
