import { toIso } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import { PROPERTIES_KEPT_MAX, PUBLISHER_MAX, weighPublisher } from '../../model/publisher-size.ts'
import type { NoPublisher, PublisherFacts } from '../../resolve/publisher.ts'
import type { Database } from '../../store/database.ts'

/** A publisher whose answer is refused, with the reason. */
export interface Refused {
  domain: Domain
  facts: PublisherFacts | NoPublisher
  reason: string
}

const KIND = 'adagents.json'
/** Prefix of the reasons of such rows. */
const TOO_BROAD = 'too_broad'
/** Number of properties up to which a file is accepted without counting the rows that are kept of its publisher. */
const UNCOUNTED_PROPERTIES_MAX = 500

export function weighFacts(facts: PublisherFacts | NoPublisher): number {
  if (facts.document === undefined) return 0
  const { properties, grants, collections, listed } = facts
  const agents = Math.max(grants.length, listed.length)
  return weighPublisher({ properties, grants: agents, collections: collections.length })
}

/** Ids in a set of properties that take as much memory as a row. */
const RIDS_PER_ROW = 10

/** Weighs an answer by the memory it takes, including the lists of properties that its grants reach. */
export function weighInMemory(facts: PublisherFacts | NoPublisher): number {
  const lists = new Set(facts.document ? facts.grants.map(({ reaches }) => reaches) : [])
  let rids = 0
  for (const { length } of lists) rids += length
  return weighFacts(facts) + rids / RIDS_PER_ROW
}

export function describeTooMuch(weight: number): string {
  return `${TOO_BROAD}: comes to ${Math.ceil(weight)} rows of at most ${PUBLISHER_MAX}; the known state stays`
}

/** Checks an answer against the number of properties kept of its publisher; returns a reason to refuse it, or undefined. */
export async function checkStoredGrants(
  db: Database,
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
): Promise<string | undefined> {
  const listed = facts.document === undefined ? 0 : facts.properties.length
  if (listed <= UNCOUNTED_PROPERTIES_MAX) return undefined
  const row = await db.one<{ n: number }>(
    'select count(*) as n from properties where publisher_domain = $domain',
    { domain },
  )
  const stored = row?.n ?? 0
  if (stored <= PROPERTIES_KEPT_MAX - listed) return undefined
  return `${TOO_BROAD}: ${stored} properties are already known of it, of at most ${PROPERTIES_KEPT_MAX}; the known state stays`
}

/**
 * Records publishers whose answer was refused, and removes the records of publishers whose answer is accepted
 * again.
 */
export async function quarantinePublishers(
  db: Database,
  refused: readonly Refused[],
  answered: readonly { domain: Domain }[],
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): Promise<void> {
  const known = await db.written.memo(KIND, TOO_BROAD, ['quarantine'], () =>
    db.one(`select 1 from quarantine where starts_with(reason, '${TOO_BROAD}') limit 1`),
  )
  if (known !== undefined) {
    const domains = [...refused, ...answered].map(({ domain }) => domain)
    await db.write(
      'delete from',
      'quarantine',
      `where kind = '${KIND}' and starts_with(reason, '${TOO_BROAD}')
         and location in (select value from json_each($domains))`,
      { domains: JSON.stringify(domains) },
    )
  }
  await db.insert(
    'quarantine',
    refused.map(({ domain, reason }) => ({
      kind: KIND,
      location: domain,
      observed_at: toIso(now),
      reason,
      seq,
    })),
  )
}
