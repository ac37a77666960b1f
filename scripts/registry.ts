import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { tierNames, visibilities } from '../pipeline/core/membership.ts'
import { roleNames } from '../pipeline/core/roles.ts'
import { membershipRoles } from '../pipeline/core/standing.ts'
import { agentTypes } from '../pipeline/model/documents-vocabulary.ts'
import { reviewKinds, reviewStatuses } from '../pipeline/model/review.ts'

const program = new Command('registry')
  .description('The registry of agentic advertising')
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: false })

const whole = (text: string) => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0)
    throw new InvalidArgumentError('must be a whole number.')
  return number
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const rid = (text: string) => {
  if (!UUID.test(text)) throw new InvalidArgumentError('must be the rid of a record, a UUID.')
  return text.toLowerCase()
}

const instant = (text: string) => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time, as 2026-11-20T03:00Z.')
  return at
}

const domainsOption = [
  '--domains <file>',
  'domains, one a line, or CSV lines `rank,domain`',
] as const

program
  .command('start')
  .description(
    'run everything: Redis, indexer, crawler, API, and a demo internet when no domains are given',
  )
  .option(...domainsOption)
  .action(async options => (await import('./commands/start.ts')).start(options))

program
  .command('api')
  .description('serve HTTP from the stores in DATA_DIR')
  .action(async () => (await import('./commands/roles.ts')).api())

program
  .command('crawler')
  .description('fetch what the indexer hands out')
  .action(async () => (await import('./commands/roles.ts')).crawler())

program
  .command('indexer')
  .description('write the index; stands by while another indexer does')
  .action(async () => (await import('./commands/roles.ts')).indexer())

program
  .command('crawl')
  .description('crawl domains now, commit, and print a summary by outcome')
  .requiredOption(...domainsOption)
  .option('--json', 'print the summary as JSON')
  .action(async options => (await import('./commands/crawl.ts')).crawl(options))

program
  .command('verify')
  .description('check every store against the others; exit 1 with the differences')
  .action(async () => (await import('./commands/verify.ts')).verifyStores())

program
  .command('rebuild')
  .description('make the serving store and the event files again from the index')
  .action(async () => (await import('./commands/verify.ts')).rebuildStores())

program
  .command('backup')
  .description('copy the stores that nothing else can be made of, as of one commit')
  .argument('<dir>', 'folder to make; it may not be there yet')
  .action(async dir => (await import('./commands/backup.ts')).backUp(dir))

program
  .command('restore')
  .description('put a backup into DATA_DIR and make the other stores from it')
  .argument('<dir>', 'what `backup` has made')
  .option('--force', 'take the place of what is in DATA_DIR')
  .option('--keep-accounts', 'restore the index only, and replay what the accounts did since')
  .action(async (dir, options) =>
    (await import('./commands/backup.ts')).restoreBackup(dir, options),
  )

program
  .command('takedown')
  .description('delete all that is known of a domain and those below it, and know nothing of them')
  .argument('<domain>', 'the domain')
  .option('--reason <text>', 'why; kept in the private store')
  .option('--undo', 'let it be known again')
  .action(async (domain, options) =>
    (await import('./commands/takedown.ts')).takeDown(domain, options),
  )

program
  .command('replay')
  .description('carry out again in the index what the accounts say was done and it does not know')
  .action(async () => (await import('./commands/backup.ts')).replayAudit())

const org = program.command('org').description('organizations')
org
  .command('create')
  .description('create an organization')
  .requiredOption('--name <name>', 'its name')
  .action(async options => (await import('./commands/accounts.ts')).createOrganization(options))

const orgDomain = org.command('domain').description('domains that are an organization’s own')
orgDomain
  .command('add')
  .description('say that a domain is an organization’s')
  .argument('<domain>', 'the domain; those below it are meant too')
  .requiredOption('--org <name>', 'whose it is')
  .action(async (domain, options) =>
    (await import('./commands/members.ts')).addDomain(domain, options),
  )
orgDomain
  .command('remove')
  .description('say so no longer')
  .argument('<domain>', 'the domain')
  .requiredOption('--org <name>', 'whose it was')
  .action(async (domain, options) =>
    (await import('./commands/members.ts')).removeDomain(domain, options),
  )

const orgUser = org.command('user').description('persons who belong to an organization')
orgUser
  .command('add')
  .description('say that a person belongs to an organization, or has another role in it')
  .argument('<subject>', 'subject of their tokens, as the identity provider gives it')
  .requiredOption('--org <name>', 'the organization')
  .addOption(
    new Option('--role <role>', 'owners and admins manage keys')
      .choices(membershipRoles)
      .default('member'),
  )
  .action(async (subject, options) =>
    (await import('./commands/accounts.ts')).addUser(subject, options),
  )
orgUser
  .command('remove')
  .description('say so no longer')
  .argument('<subject>', 'subject of their tokens')
  .requiredOption('--org <name>', 'the organization')
  .action(async (subject, options) =>
    (await import('./commands/accounts.ts')).removeUser(subject, options),
  )

const member = program.command('member').description('organizations that are members')
const profileOptions = (command: Command) =>
  command
    .requiredOption('--org <name>', 'the organization')
    .option('--slug <slug>', 'its name in addresses')
    .option('--display-name <name>', 'its name as people read it')
    .addOption(new Option('--tier <tier>', 'its membership').choices([...tierNames, 'none']))
    .option('--founding', 'it is a founding member')
    .option('--no-founding', 'it is not')
    .option('--public', 'others are told that its domains are a member’s')
    .option('--no-public', 'they are not')
profileOptions(
  member.command('create').description('make an organization a member and print its slug'),
).action(async options => (await import('./commands/members.ts')).createMember(options))
profileOptions(
  member.command('set').description('change a member; what is not given stays'),
).action(async options => (await import('./commands/members.ts')).changeMember(options))
member
  .command('list')
  .description('print members, their domains and agents')
  .option('--json', 'print JSON')
  .action(async options => (await import('./commands/members.ts')).listMembers(options))

const agent = member.command('agent').description('agents that members enrol')
agent
  .command('add')
  .description('enrol an agent, or change what is given of one')
  .argument('<url>', 'its address')
  .requiredOption('--org <name>', 'whose it is')
  .addOption(new Option('--type <type>', 'what it is; a new one needs it').choices(agentTypes))
  .option('--name <name>', 'what to call it')
  .addOption(new Option('--visibility <who>', 'who is shown it').choices(visibilities))
  .action(async (url, options) => (await import('./commands/members.ts')).addAgent(url, options))
agent
  .command('remove')
  .description('remove an agent that is not public')
  .argument('<url>', 'its address')
  .requiredOption('--org <name>', 'whose it is')
  .action(async (url, options) => (await import('./commands/members.ts')).removeAgent(url, options))

const key = program.command('key').description('API keys')
key
  .command('create')
  .description('create a key and print its secret, once')
  .requiredOption('--org <name>', 'organization that owns it')
  .option('--label <text>', 'what it is for', '')
  .option('--admin', 'it may make and revoke keys of its organization')
  .action(async options => (await import('./commands/accounts.ts')).createKey(options))
key
  .command('list')
  .description('list the keys of an organization')
  .requiredOption('--org <name>', 'organization that owns them')
  .action(async options => (await import('./commands/accounts.ts')).listKeys(options))
key
  .command('revoke')
  .description('revoke a key')
  .argument('<key-id>', 'id that `key list` prints')
  .requiredOption('--org <name>', 'organization that owns it')
  .action(async (id, options) => (await import('./commands/accounts.ts')).revokeKey(id, options))

const role = program
  .command('role')
  .description('what a key or a person may do beyond its organization')
const holderOptions = (command: Command) =>
  command
    .addArgument(new Argument('<role>', 'the role').choices(roleNames))
    .option('--key <key-id>', 'API key that holds it')
    .option('--user <subject>', 'person who holds it, as their tokens name them')
holderOptions(role.command('grant').description('give a role')).action(async (name, options) =>
  (await import('./commands/role-holders.ts')).grantRole(name, options),
)
holderOptions(role.command('revoke').description('take a role back')).action(
  async (name, options) => (await import('./commands/role-holders.ts')).revokeRole(name, options),
)
role
  .command('list')
  .description('print who holds roles')
  .option('--json', 'print JSON')
  .action(async options => (await import('./commands/role-holders.ts')).listRoles(options))

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
  .action(async options => (await import('./commands/reviews.ts')).printReviews(options))
review
  .command('show')
  .description('print a review with what was handed in, as JSON')
  .argument('<id>', 'id that `review list` prints')
  .action(async id => (await import('./commands/reviews.ts')).showReview(id))
review
  .command('approve')
  .description('make it count')
  .argument('<id>', 'id that `review list` prints')
  .option('--digest <digest>', 'refuse where it is not what was read')
  .option('--notes <text>', 'why')
  .action(async (id, options) =>
    (await import('./commands/reviews.ts')).decideReview('review.approve', id, options),
  )
review
  .command('reject')
  .description('refuse it')
  .argument('<id>', 'id that `review list` prints')
  .option('--digest <digest>', 'refuse where it is not what was read')
  .requiredOption('--notes <text>', 'why')
  .action(async (id, options) =>
    (await import('./commands/reviews.ts')).decideReview('review.reject', id, options),
  )

program
  .command('policy')
  .description('the registry’s own policies')
  .command('publish')
  .description('publish policies that nobody else changes; prints ids and revisions')
  .argument('<file>', 'JSON: a policy, or a list of them')
  .action(async file => (await import('./commands/policies.ts')).publishPolicies(file))

const held = program
  .command('held')
  .description('answers that would take too much at once, held back until somebody looks')
held
  .command('list')
  .description('print whose answers are held, and what they would take')
  .option('--json', 'print JSON')
  .action(async options => (await import('./commands/held.ts')).listHeld(options))
held
  .command('release')
  .description('let them apply: the grants end, the properties turn stale')
  .argument('[domains...]', 'publishers that `held list` prints')
  .option('--all', 'all that are held')
  .action(async (domains, { all }) =>
    (await import('./commands/held.ts')).releaseHeld({ domains, all }),
  )
held
  .command('drop')
  .description('forget them: the rows stand on, and the files are read again now')
  .argument('[domains...]', 'publishers that `held list` prints')
  .option('--all', 'all that are held')
  .action(async (domains, { all }) =>
    (await import('./commands/held.ts')).dropHeld({ domains, all }),
  )

const audit = program.command('audit').description('who had what changed, and what came of it')
audit
  .command('list')
  .description('print what was asked for, the latest first')
  .option('--by <id>', 'by this key, person, organization, or `command`, `registry`')
  .option('--operation <name>', 'this operation, or all that begin so: `member.`')
  .option('--domain <domain>', 'about this domain')
  .option('--since <time>', 'not before this time, ISO 8601', instant)
  .option('--limit <n>', 'at most so many', whole, 100)
  .option('--json', 'print JSON')
  .action(async options => (await import('./commands/audit.ts')).listAudit(options))
audit
  .command('show')
  .description('print all that is known of one, with what it changed')
  .argument('<id>', 'id that `audit list` prints')
  .action(async id => (await import('./commands/audit.ts')).showAudit(id))
audit
  .command('revert')
  .description('take one back, as one more write; says why where that cannot be')
  .argument('<id>', 'id that `audit list` prints')
  .action(async id => (await import('./commands/audit.ts')).revertAudit(id))

program
  .command('merge')
  .description('make one record of two that are the same')
  .addArgument(new Argument('<kind>', 'what the records are').choices(['property', 'collection']))
  .argument('<alias>', 'rid that is to answer with the other one, for ever', rid)
  .argument('<canonical>', 'rid that stays', rid)
  .option('--evidence <text>', 'why they are the same; public')
  .action(async (kind, alias, canonical, options) =>
    (await import('./commands/merge.ts')).mergeRecords(kind, alias, canonical, options),
  )

program
  .command('world')
  .description('serve the demo internet, or a folder laid out as DIR/<domain>/.well-known/…')
  .option('--dir <folder>', 'captured files to serve instead')
  .option('--seed <n>', 'seed of the demo internet', whole, 1)
  .option('--port <n>', 'port on 127.0.0.1; 0 takes a free one', whole, 0)
  .option('--tls', 'speak https, with certificates of an own authority')
  .option('--ca-file <file>', 'where to write that authority’s certificate')
  .option('--list <file>', 'where to write the domains of the world')
  .action(async options => (await import('./commands/world.ts')).world(options))

program
  .command('stats')
  .description('print what the index holds')
  .option('--json', 'print JSON')
  .action(async options => (await import('./commands/stats.ts')).stats(options))

program.parseAsync().catch(error => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
