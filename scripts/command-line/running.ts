import { type Command, Option } from 'commander'
import {
  httpUrl,
  origin,
  path,
  readDomainsOrInput,
  readWholeBetween,
  token,
  verifierKey,
} from './values.ts'

const domainsOption = [
  '--domains <file>',
  'file with domains, one per line, or CSV lines `rank,domain` (- for standard input)',
  path,
] as const

/** Adds commands that run the registry or parts of it. */
export function addRunning(program: Command): void {
  program
    .command('start')
    .description(
      'run everything: Redis, indexer, crawler and API; if no domains are given and DATA_DIR is empty, run the demo',
    )
    .option(...domainsOption)
    .action(async options => (await import('../commands/start.ts')).start(options))

  program
    .command('api')
    .description('serve HTTP from the stores in DATA_DIR')
    .action(async () => (await import('../commands/roles.ts')).serveApi())

  program
    .command('crawler')
    .description('fetch files that are due')
    .action(async () => (await import('../commands/roles.ts')).startCrawlerRole())

  program
    .command('indexer')
    .description('write the index (waits while another indexer is active)')
    .action(async () => (await import('../commands/roles.ts')).startIndexerRole())

  program
    .command('push')
    .description('post changes to subscribers (waits while another process is active)')
    .action(async () => (await import('../commands/roles.ts')).startPushRole())

  const agent = program
    .command('agent')
    .description('serve the reference agent, for testing clients')
    .action(async () => (await import('../commands/roles.ts')).serveAgent())

  agent
    .command('test')
    .description(
      'run the storyboards that apply to an agent (exits with 2 if a step fails or a run ends early, 1 if the agent cannot be reached)',
    )
    .argument('<url>', 'URL of the agent', httpUrl)
    .option('--token <token>', 'bearer token for the agent (sent only to it)', token)
    .addOption(
      new Option('--format <format>', 'text, JSON, or JUnit or SARIF for a build server')
        .choices(['text', 'json', 'junit', 'sarif'])
        .default('text'),
    )
    .action(async (url, options) =>
      (await import('../commands/test-agent.ts')).testAgent(url, options),
    )

  program
    .command('follow')
    .description('keep a read-only copy of another registry in DATA_DIR, and serve it')
    .argument(
      '<origin>',
      'URL of its API, or folder or bucket that it publishes to (PUBLISH_TO)',
      path,
    )
    .option(
      '--key <name+id+key>',
      'public key of its log, if you know it (by default, the first one seen is trusted)',
      verifierKey,
    )
    .action(async (from, options) => (await import('../commands/follow.ts')).follow(from, options))

  program
    .command('replica')
    .description(
      'copy what the registry at REPLICA_OF publishes into DATA_DIR (`follow` runs this)',
    )
    .action(async () => (await import('../commands/follow.ts')).startReplicaRole())

  program
    .command('crawl')
    .description('crawl domains now, commit, and print a summary by outcome')
    .argument('[domains...]', 'domains to crawl (- for standard input)', readDomainsOrInput)
    .option(...domainsOption)
    .option('--json', 'print the summary as JSON')
    .action(async (domains, options) =>
      (await import('../commands/crawl.ts')).crawl(domains, options),
    )

  program
    .command('world')
    .description('serve the demo internet, or a folder laid out as DIR/<domain>/.well-known/…')
    .option('--dir <folder>', 'captured files to serve instead', path)
    .option('--seed <n>', 'seed of the demo internet', readWholeBetween(0, 2 ** 32 - 1), 1)
    .option('--port <n>', 'port on 127.0.0.1 (0 picks a free one)', readWholeBetween(0, 65_535), 0)
    .option('--tls', 'serve HTTPS with certificates of its own authority')
    .option('--ca-file <file>', 'where to write that authority’s certificate', path)
    .option('--list <file>', 'where to write the domains of the world', path)
    .option(
      '--agent <url>',
      'origin of a reference agent, which then answers for agents of the world',
      origin,
    )
    .option(
      '--receiver <url>',
      'origin of a receiver of webhooks, which then answers for https://your-site.example/changes',
      origin,
    )
    .action(async options => (await import('../commands/world.ts')).serveWorldFolder(options))
}
