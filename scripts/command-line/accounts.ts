import { Argument, type Command, Option } from 'commander'
import { membershipRoles, roleNames } from '../../pipeline/core/roles.ts'
import { anyId, domain, name, readId } from './values.ts'

const keyId = readId('an id that `key list` prints')

/** Organizations, the domains that are theirs, and the persons who belong to them. */
export function addOrganizations(program: Command): void {
  const org = program.command('org').description('organizations')
  org
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'its name', name)
    .action(async options => (await import('../commands/accounts.ts')).createOrganization(options))

  const orgDomain = org.command('domain').description('domains that are an organization’s own')
  orgDomain
    .command('add')
    .description('say that a domain is an organization’s')
    .argument('<domain>', 'the domain; those below it are meant too', domain)
    .requiredOption('--org <name>', 'whose it is', name)
    .action(async (argument, options) =>
      (await import('../commands/members.ts')).addDomain(argument, options),
    )
  orgDomain
    .command('remove')
    .description('say so no longer')
    .argument('<domain>', 'the domain', domain)
    .requiredOption('--org <name>', 'whose it was', name)
    .action(async (argument, options) =>
      (await import('../commands/members.ts')).removeDomain(argument, options),
    )

  const orgUser = org.command('user').description('persons who belong to an organization')
  orgUser
    .command('add')
    .description('say that a person belongs to an organization, or has another role in it')
    .argument('<subject>', 'subject of their tokens, as the identity provider gives it', anyId)
    .requiredOption('--org <name>', 'the organization', name)
    .addOption(
      new Option('--role <role>', 'owners and admins manage keys')
        .choices(membershipRoles)
        .default('member'),
    )
    .action(async (subject, options) =>
      (await import('../commands/accounts.ts')).addUser(subject, options),
    )
  orgUser
    .command('remove')
    .description('say so no longer')
    .argument('<subject>', 'subject of their tokens', anyId)
    .requiredOption('--org <name>', 'the organization', name)
    .action(async (subject, options) =>
      (await import('../commands/accounts.ts')).removeUser(subject, options),
    )
}

/** API keys of organizations. */
export function addKeys(program: Command): void {
  const key = program.command('key').description('API keys')
  key
    .command('create')
    .description('create a key and print its secret, once')
    .requiredOption('--org <name>', 'organization that owns it', name)
    .option('--label <text>', 'what it is for', name)
    .option('--admin', 'it may make and revoke keys of its organization')
    .action(async options => (await import('../commands/accounts.ts')).createKey(options))
  key
    .command('list')
    .description('list the keys of an organization')
    .requiredOption('--org <name>', 'organization that owns them', name)
    .action(async options => (await import('../commands/accounts.ts')).listKeys(options))
  key
    .command('revoke')
    .description('revoke a key')
    .argument('<key-id>', 'id that `key list` prints', keyId)
    .requiredOption('--org <name>', 'organization that owns it', name)
    .action(async (id, options) => (await import('../commands/accounts.ts')).revokeKey(id, options))
}

/** Who holds a role beyond an organization. */
export function addRoles(program: Command): void {
  const role = program
    .command('role')
    .description('what a key or a person may do beyond its organization')
  const holderOptions = (command: Command) =>
    command
      .addArgument(new Argument('<role>', 'the role').choices(roleNames))
      .option('--key <key-id>', 'API key that holds it', keyId)
      .option('--user <subject>', 'person who holds it, as their tokens name them', anyId)
  holderOptions(role.command('grant').description('give a role')).action(async (role, options) =>
    (await import('../commands/role-holders.ts')).grantRole(role, options),
  )
  holderOptions(role.command('revoke').description('take a role back')).action(
    async (role, options) =>
      (await import('../commands/role-holders.ts')).revokeRole(role, options),
  )
  role
    .command('list')
    .description('print who holds roles')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/role-holders.ts')).listRoles(options))
}
