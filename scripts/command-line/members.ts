import { type Command, Option } from 'commander'
import { tierNames, visibilities } from '../../pipeline/core/tiers.ts'
import { agentTypes } from '../../pipeline/model/documents/vocabulary.ts'
import { address, name } from './values.ts'

/** Adds commands about members and their agents. */
export function addMembers(program: Command): void {
  const member = program
    .command('member')
    .description('manage memberships, and the agents that members add')
  const profileOptions = (command: Command) =>
    command
      .requiredOption('--org <name>', 'the organization', name)
      .option('--slug <slug>', 'short name in URLs', name)
      .option('--display-name <name>', 'display name', name)
      .addOption(
        new Option(
          '--tier <tier>',
          'membership tier (if BILLING_WEBHOOK_SECRET is set, billing sets it and --force is required)',
        ).choices([...tierNames, 'none']),
      )
      .option('--force', 'set the tier even if billing sets it')
      .option('--founding', 'mark it as a founding member')
      .option('--no-founding', 'no longer mark it as one')
      .option('--public', 'show its membership publicly')
      .option('--no-public', 'hide its membership')
  profileOptions(
    member.command('create').description('make an organization a member and print its slug'),
  ).action(async options => (await import('../commands/members.ts')).createMember(options))
  profileOptions(
    member
      .command('set')
      .description('change a member (properties that you leave out stay as they are)'),
  ).action(async options => (await import('../commands/members.ts')).changeMember(options))
  member
    .command('list')
    .description('print members, their domains and agents')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/members.ts')).listMembers(options))

  const agent = member.command('agent').description('manage the agents of members')
  agent
    .command('add')
    .description('add an agent, or change one')
    .argument('<url>', 'URL of the agent', address)
    .requiredOption('--org <name>', 'organization that adds it', name)
    .addOption(
      new Option('--type <type>', 'agent type (required for a new agent)').choices(agentTypes),
    )
    .option('--name <name>', 'display name', name)
    .addOption(new Option('--visibility <who>', 'who can see it').choices(visibilities))
    .action(async (url, options) => (await import('../commands/members.ts')).addAgent(url, options))
  agent
    .command('remove')
    .description('remove an agent that is not public')
    .argument('<url>', 'URL of the agent', address)
    .requiredOption('--org <name>', 'organization that it belongs to', name)
    .action(async (url, options) =>
      (await import('../commands/members.ts')).removeAgent(url, options),
    )
}
