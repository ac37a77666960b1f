import { resolveBaseUrl } from '../../pipeline/core/base-url.ts'
import { formatTime, systemClock } from '../../pipeline/core/clock.ts'
import { countThings, formatBytes } from '../../pipeline/core/counts.ts'
import type { Domain } from '../../pipeline/core/domain.ts'
import { describeOutcome } from '../../pipeline/core/outcomes.ts'
import {
  type DomainReport,
  type FileReport,
  reportDomain,
} from '../../pipeline/maintenance/inspect/domain-report.ts'
import type { Reason } from '../../pipeline/writer/crawl/newcomer.ts'
import { readSettings } from './environment.ts'
import { askOrOpen } from './running.ts'
import { describeTakenDown } from './takedown-confirmation.ts'
import { formatAgo } from './text.ts'

/** Prints how the files of a domain were crawled; exits with 1 where the registry does not crawl it. */
export async function explainDomain(domain: Domain, { json }: { json?: boolean }): Promise<void> {
  const settings = readSettings()
  const report = await askOrOpen<DomainReport>(
    settings,
    { ask: 'domain', domain },
    ({ index, accounts }) => reportDomain({ index, accounts: accounts.db }, domain),
  )
  const lines = describeDomain(report, systemClock.now(), resolveBaseUrl(settings))
  const text = json ? JSON.stringify(report) : lines.join('\n')
  process.stdout.write(`${text}\n`)
  if (report.files.length === 0) process.exitCode = 1
}

/** Why a domain is crawled, by `frontier.why`. */
const reasons: Readonly<Record<Reason, string>> = {
  given: 'added by the operator',
  requested: 'someone requested a crawl',
  saved: 'a member saved it',
  demanded: 'someone looked it up',
  hop: 'a file points to it',
  mentioned: 'a file mentions it',
}

/** Describes a domain in lines, with an address of the site of the registry. */
export function describeDomain(report: DomainReport, now: number, baseUrl: string): string[] {
  const { domain, frontier, nearest, files, held, dependants } = report
  const state = frontier
    ? `crawled since ${formatTime(frontier.since)} (${reasons[frontier.why]})`
    : `not crawled by this registry. ${nearest === null ? `To add it, run \`registry crawl ${domain}\`.` : `Did you mean ${nearest}?`}`
  return [
    `${domain}: ${report.taken_down ? describeTakenDown(domain, report.taken_down) : state}`,
    ...files.flatMap(file => describeFile(file, now)),
    ...(held
      ? [
          `held back since ${formatTime(held.since)}: ${countThings(held.grants, 'grant')}, ${countThings(held.properties, 'property', 'properties')} ` +
            `(${held.reason}). Decide with \`registry held release\` or \`registry held drop\`.`,
        ]
      : []),
    // The page shows what the registry holds; fetching again from here fails where only its crawler reaches the domain.
    ...(files.some(({ document }) => document)
      ? ['', `To see the issues in its files, open ${baseUrl}/workshop?domain=${domain}`]
      : []),
    ...dependants.map(
      ({ rule, domains, first }) =>
        `${countThings(domains, `other ${rule} depends`, `other ${rule}s depend`)} on its files: ${first.join(', ')}${domains > first.length ? ', …' : ''}`,
    ),
  ]
}

function describeFile(file: FileReport, now: number): string[] {
  const { document } = file
  return [
    '',
    `${file.kind}  ${file.location}`,
    `  last attempt  ${describeAttempt(file, now)}`,
    ...(file.failures > 1 ? [`  failures      ${file.failures} in a row without a response`] : []),
    ...(file.streak > 1 && file.streak_since
      ? [`  same response ${file.streak} times since ${formatTime(file.streak_since)}`]
      : []),
    ...(document
      ? [
          `  document      ${document.variant}, ${document.bytes === null ? 'size unknown' : formatBytes(document.bytes)}, ` +
            `changed ${formatTime(document.changed_at)}`,
        ]
      : []),
    ...(document?.resolved_url ? [`  read from     ${document.resolved_url}`] : []),
    ...(file.ended_at && file.kind !== 'brand.json'
      ? [`  in force      ${describeForce(file.ended_at, now)}`]
      : []),
    ...(file.quarantined ? [`  set aside     ${file.quarantined}`] : []),
    `  next          ${describeNext(file, now)}`,
  ]
}

function describeAttempt({ attempted_at, outcome, status }: FileReport, now: number): string {
  if (attempted_at === null || outcome === null) return 'none yet'
  return `${formatTime(attempted_at)} (${formatAgo(attempted_at, now)}): ${describeOutcome(outcome, status)}`
}

function describeForce(ended_at: string, now: number): string {
  const until = formatTime(ended_at)
  return Date.parse(ended_at) > now ? `until ${until}` : `no longer, since ${until}`
}

function describeNext({ due_at, due_because, is_requested }: FileReport, now: number): string {
  if (due_at === null) return 'never, because nobody lists this agent anymore'
  const when = Date.parse(due_at) <= now ? `due since ${formatTime(due_at)}` : formatTime(due_at)
  if (is_requested) return `${when}, because someone requested it`
  return due_because === null ? `${when}, for the first time` : `${when}: ${due_because}`
}
