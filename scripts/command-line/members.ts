import { type Command, Option } from 'commander'
import { tierNames, visibilities } from '../../pipeline/core/tiers.ts'
import { agentTypes } from '../../pipeline/model/documents/vocabulary.ts'
import { address, name } from './values.ts'

/** Commands about members and the agents they enrol. */
export function addMembers(program: Command): void {
  const member = program.command('member').description('organizations that are members')
  const profileOptions = (command: Command) =>
    command
      .requiredOption('--org <name>', 'the organization', name)
      .option('--slug <slug>', 'its name in addresses', name)
      .option('--display-name <name>', 'its name as people read it', name)
      .addOption(new Option('--tier <tier>', 'its membership').choices([...tierNames, 'none']))
      .option('--founding', 'it is a founding member')
      .option('--no-founding', 'it is not')
      .option('--public', 'show to others that its domains are a member’s')
      .option('--no-public', 'they are not')
  profileOptions(
    member.command('create').description('make an organization a member and print its slug'),
  ).action(async options => (await import('../commands/members.ts')).createMember(options))
  profileOptions(
    member.command('set').description('change a member; what is not given stays'),
  ).action(async options => (await import('../commands/members.ts')).changeMember(options))
  member
    .command('list')
    .description('print members, their domains and agents')
    .option('--json', 'print JSON')
    .action(async options => (await import('../commands/members.ts')).listMembers(options))

  const agent = member.command('agent').description('agents that members enrol')
  agent
    .command('add')
    .description('enrol an agent, or change what is given of one')
    .argument('<url>', 'its address', address)
    .requiredOption('--org <name>', 'whose it is', name)
    .addOption(new Option('--type <type>', 'what it is; a new one needs it').choices(agentTypes))
    .option('--name <name>', 'what to call it', name)
    .addOption(new Option('--visibility <who>', 'who is shown it').choices(visibilities))
    .action(async (url, options) => (await import('../commands/members.ts')).addAgent(url, options))
  agent
    .command('remove')
    .description('remove an agent that is not public')
    .argument('<url>', 'its address', address)
    .requiredOption('--org <name>', 'whose it is', name)
    .action(async (url, options) =>
      (await import('../commands/members.ts')).removeAgent(url, options),
    )
}
