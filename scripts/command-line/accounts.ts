import { Argument, type Command, Option } from 'commander'
import { membershipRoles, roleNames } from '../../pipeline/core/roles.ts'
import { anyId, domain, keyOrInput, name, readId } from './values.ts'

const keyId = readId('an id that `key list` prints')

/** Adds commands about organizations, their domains and their members. */
export function addOrganizations(program: Command): void {
  const org = program
    .command('org')
    .description('manage organizations, their people and their domains')
  org
    .command('create')
    .description('create an organization')
    .requiredOption('--name <name>', 'name of the organization', name)
    .option('--if-missing', 'do nothing if an organization has this name')
    .action(async options => (await import('../commands/accounts.ts')).createOrganization(options))

  org
    .command('list')
    .description('list all organizations with their people, keys and domains')
    .option('--json', 'print JSON')
    .action(async options =>
      (await import('../commands/organization-lists.ts')).listOrganizations(options),
    )
  org
    .command('rename')
    .description('rename an organization')
    .requiredOption('--org <name>', 'the organization', name)
    .requiredOption('--name <name>', 'its new name', name)
    .action(async options => (await import('../commands/accounts.ts')).renameOrganization(options))
  org
    .command('delete')
    .description('delete an organization that has no domains, agents or webhooks left')
    .requiredOption('--org <name>', 'the organization', name)
    .option(
      '--confirm <name>',
      'repeat the name to confirm (deleted data cannot be restored)',
      name,
    )
    .action(async options =>
      (await import('../commands/organization-deletion.ts')).deleteOrganization(options),
    )

  const orgDomain = org.command('domain').description('manage the domains of an organization')
  orgDomain
    .command('add')
    .description('add a domain to an organization, without a challenge')
    .argument('<domain>', 'the domain, with its subdomains', domain)
    .requiredOption('--org <name>', 'organization that owns it', name)
    .option('--confirm', 'add it even if it looks like another name')
    .action(async (argument, options) =>
      (await import('../commands/members.ts')).addDomain(argument, options),
    )
  orgDomain
    .command('remove')
    .description('remove a domain from an organization')
    .argument('<domain>', 'the domain', domain)
    .requiredOption('--org <name>', 'organization that owned it', name)
    .action(async (argument, options) =>
      (await import('../commands/members.ts')).removeDomain(argument, options),
    )

  const orgUser = org.command('user').description('manage who belongs to an organization')
  orgUser
    .command('add')
    .description('add a person to an organization, or change their role')
    .argument('<subject>', 'subject of their tokens at the identity provider', anyId)
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
    .description('remove a person from an organization')
    .argument('<subject>', 'subject of their tokens', anyId)
    .requiredOption('--org <name>', 'the organization', name)
    .action(async (subject, options) =>
      (await import('../commands/accounts.ts')).removeUser(subject, options),
    )
  orgUser
    .command('list')
    .description('list the people of an organization with their roles')
    .requiredOption('--org <name>', 'the organization', name)
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/organization-lists.ts')).listUsers(options))
}

/** Adds commands about API keys. */
export function addKeys(program: Command): void {
  const key = program.command('key').description('manage API keys')
  key
    .command('create')
    .description('create a key and print its secret, once')
    .requiredOption('--org <name>', 'organization that owns it', name)
    .option('--label <text>', 'label for the key', name)
    .addOption(
      new Option('--admin', 'allow it to create and revoke keys of its organization').conflicts(
        'readOnly',
      ),
    )
    .option('--read-only', 'let it read, but change nothing')
    .action(async options => (await import('../commands/api-keys.ts')).createKey(options))
  key
    .command('list')
    .description('list the active keys of one or all organizations, with their permissions')
    .option('--org <name>', 'organization that owns them', name)
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/api-keys.ts')).listKeys(options))
  key
    .command('revoke')
    .description('revoke a key')
    .argument(
      '<key>',
      'id that `key list` prints, or the secret; - reads either from standard input',
      keyOrInput,
    )
    .option('--org <name>', 'revoke it only if this organization owns it', name)
    .action(async (key, options) =>
      (await import('../commands/api-keys.ts')).revokeKey(key, options),
    )
}

/** Adds commands about roles that reach beyond one organization. */
export function addRoles(program: Command): void {
  const role = program.command('role').description('manage registry-wide roles')
  const holderOptions = (command: Command) =>
    command
      .addArgument(new Argument('<role>', 'the role').choices(roleNames))
      .option('--key <key-id>', 'API key with the role', keyId)
      .option('--user <subject>', 'person with the role: the subject of their tokens', anyId)
  holderOptions(role.command('grant').description('grant a role')).action(async (role, options) =>
    (await import('../commands/role-holders.ts')).grantRole(role, options),
  )
  holderOptions(role.command('revoke').description('revoke a role')).action(async (role, options) =>
    (await import('../commands/role-holders.ts')).revokeRole(role, options),
  )
  role
    .command('list')
    .description('list the holders of roles')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/role-holders.ts')).listRoles(options))
}
