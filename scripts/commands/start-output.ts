import { countThings } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { type Outcome, outcomes } from '../../pipeline/core/outcomes.ts'
import { readVersion } from '../../pipeline/core/version.ts'
import type { CrawlSummary } from '../../pipeline/writer/crawl/crawl-summary.ts'
import { savedEntry } from '../world/entries.ts'
import { OWN_AGENT_PATH, OWN_RECEIVER_PATH } from '../world/forward.ts'
import { demoMembers } from '../world/members.ts'
import { buildTokenPath, OWN_SITE } from '../world/own-site.ts'
import { formatTotals } from './text.ts'

const DEMO_DOMAIN = 'pinnacle-network.example'
/** A publisher of the demo that names its agents itself. */
const DEMO_PUBLISHER = 'northfield-times.example'
/** A brand of the demo that only has a home page. */
const DEMO_HOME_PAGE = 'only-a-home-page.example'

/** Prints that nothing here is real, before anything else. */
export function printDemo(): void {
  print('This is the demo: all its domains, files and members are invented.')
}

export function printAddress(url: string): void {
  print(`Agentic Ad Registry ${readVersion()} at ${url}/`)
}

/** Prints where the agents of the demo can be called without its internet. */
export function printAgentAddress(url: string, token: string): void {
  print(`Reference agent at ${url}/sales/mcp, with the public token ${token}`)
}

/** Prints where the operator finds metrics, queues and the health of all roles. */
export function printOperatorAddress(url: string): void {
  print(`Operator’s page (metrics, health): ${url}/`)
}

/** Prints addresses worth opening: those of the demo internet, of a domain, or of none in particular. */
export function printExamples(url: string, of: Domain | 'demo' | undefined): void {
  print(...describeExamples(url, of))
}

export function describeExamples(url: string, of: Domain | 'demo' | undefined): string[] {
  const isDemo = of === 'demo'
  const [publisher, brand, homePage] = isDemo
    ? [DEMO_PUBLISHER, DEMO_DOMAIN, DEMO_HOME_PAGE]
    : [of, of, of]
  const pages = [
    ['/', 'search, counts and the latest changes'],
    ...(publisher === undefined
      ? []
      : [[`/publisher/${publisher}`, 'what a publisher owns, and who can sell its ads']]),
    ['/workshop', 'check a file before you publish it'],
    ['/dashboard', 'verify a domain, add an agent, create an API key'],
    ['/sql', 'query the data in your browser'],
    ['/docs', 'API reference'],
  ] as const
  const answers = [
    ...(publisher === undefined
      ? []
      : [
          `/api/brands/resolve?domain=${brand}`,
          `/api/brands/enrich?domain=${homePage}`,
          `/api/registry/publisher?domain=${publisher}`,
        ]),
    '/api/registry/agents?health=true',
    '/api/registry/stats',
  ]
  const width = Math.max(...pages.map(([path = '']) => path.length))
  return [
    'Pages worth opening:',
    ...pages.map(([path, shows]) => `  ${url}${path?.padEnd(width)}  ${shows}`),
    'The same as JSON:',
    ...answers.map(path => `  ${url}${path}`),
    'Ready. Press Ctrl-C to stop.',
  ]
}

/** Prints how the proof of a domain can be tried at the demo internet, which is served at an address. */
export function printOwnSite(
  worldUrl: string,
  protocolName: string,
  receiver: string | undefined,
): void {
  print(
    `To try domain verification: verify ${OWN_SITE}, or any other demo domain, in the dashboard, then run this with your token:`,
    `  curl -sSk ${worldUrl}${buildTokenPath(protocolName)} -H 'Host: ${OWN_SITE}' -d TOKEN`,
    `Then add https://${OWN_SITE}${OWN_AGENT_PATH} as an agent, and give the public token of the reference agent as its credential.`,
    ...(receiver === undefined
      ? []
      : [
          `Webhooks to https://${OWN_SITE}${OWN_RECEIVER_PATH} go to ${receiver}: docs/webhooks.md has a receiver.`,
        ]),
  )
}

/** Prints what the demo adds to what was crawled: its members, and what they saved. */
export function printEnrolled(): void {
  const properties = countThings(savedEntry.properties.length, 'property', 'properties')
  print(
    `added ${countThings(demoMembers.length, 'member')}, who saved ${countThings(1, 'brand')} and ${properties}`,
  )
}

/** Prints what a crawl found, or why it reached nothing. */
export function printFound(domains: number, summary: CrawlSummary): void {
  print(...describeFound(domains, summary))
}

export function describeFound(domains: number, summary: CrawlSummary): string[] {
  const files = summary.outcomes.reduce((sum, outcome) => sum + outcome.files, 0)
  const crawled =
    files === 0
      ? `${countThings(domains, 'domain')}: no file was due (\`registry why DOMAIN\` says when, \`registry crawl\` reads files at once)`
      : `crawled ${countThings(domains, 'domain')} (${countThings(files, 'file')})`
  const unreached = describeUnreached(domains, summary.outcomes)
  return [`${crawled}; the index has ${formatTotals(summary)}`, ...(unreached ? [unreached] : [])]
}

/** Explains why no file of a crawl could be fetched; undefined where any server answered. */
export function describeUnreached(
  domains: number,
  found: CrawlSummary['outcomes'],
): string | undefined {
  const files = new Map<Outcome, number>()
  for (const domain of found) {
    const outcome = domain.outcome as Outcome
    if (!UNREACHED.has(outcome)) return undefined
    files.set(outcome, (files.get(outcome) ?? 0) + domain.files)
  }
  if (files.size === 0) return undefined
  const reasons = [...files]
    .sort(([, a], [, b]) => b - a)
    .map(
      ([outcome, count]) =>
        `${outcomes[outcome].means} (${outcome}, ${countThings(count, 'file')})`,
    )
  const which =
    domains === 1
      ? 'the domain could not be reached'
      : `none of the ${countThings(domains, 'domain')} could be reached`
  return (
    `${which}: ${reasons.join('; ')}. ` +
    'Check that this machine can reach port 443 on the internet and a name server (DNS_SERVER).'
  )
}

/** Outcomes that leave open whether there is a server at all. */
const UNREACHED: ReadonlySet<Outcome> = new Set([
  'timeout',
  'dns_failed',
  'tls_failed',
  'connection_failed',
  'refused',
] satisfies Outcome[])

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}
