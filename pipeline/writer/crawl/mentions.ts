import { HOUR, type Instant, toIso } from '../../core/clock.ts'
import { getRegistrableDomain } from '../../core/domain.ts'
import { getAt } from '../../core/present.ts'
import type { WindowCounter } from '../../core/window-counter.ts'
import type { Database } from '../../store/database.ts'
import type { Rule } from '../dependencies.ts'
import type { TakenDown } from '../takedown/takedown-list.ts'
import type { Newcomer } from './newcomer.ts'

/** Domains that the documents behind one answer name as theirs. */
export interface Mentions {
  rule: Rule
  subject: string
  domains: readonly string[]
}

export interface AdmissionContext {
  now: Instant
  /** New names that one document may add per hour, unless its domain is vouched for. */
  namesPerDocumentHour: number
  /** New names below one registrable domain that documents and lookups may add in an hour. */
  namesPerSiteHour: number
  /** Count of names added below each registrable domain in this hour. */
  newNames: WindowCounter
}

/** Multiple of the limit for a document whose domain an operator gave, or a person requested or saved. */
export const VOUCHED_WEIGHT = 4
/** Maximum number of names with the same ending that are accepted without checking each. */
const SAME_ENDING_MAX = 3
/** Delay after which a document with more names is derived again. */
const RETRY_MS = HOUR

/**
 * Admits domains that documents mention: for each document and each registrable domain a limited number an
 * hour. Documents that have more are derived again an hour later, so that a manager with thousands of
 * publishers is spread over a day instead of filling the frontier at once.
 */
export async function admitMentions(
  db: Database,
  all: readonly Mentions[],
  context: AdmissionContext & { takenDown: TakenDown },
): Promise<Newcomer[]> {
  const { takenDown } = context
  const some = all
    .map(mentions => ({
      ...mentions,
      domains: mentions.domains.filter(domain => !takenDown.covers(domain)),
    }))
    .filter(({ domains }) => domains.length > 0)
  if (some.length === 0) return []
  await db.stage('mentioned', 'document integer, domain text', toRows(some))
  const { most, alike } = await db.oneOrThrow<{ most: number; alike: number }>(CROWDED)
  const { namesPerDocumentHour: perDocument } = context
  if (most <= perDocument && alike <= SAME_ENDING_MAX) {
    return some.flatMap(({ domains }) => domains.map(domain => ({ domain, why: 'mentioned' })))
  }
  const fresh = await db.all<{ document: number; domain: string }>(`${FRESH} order by 1, 2`)
  const { admitted, postponed } = admit(fresh, await loadWeights(db, some), context)
  await db.insert(
    'wakes',
    [...postponed].map(document => {
      const { rule, subject } = getAt(some, document)
      return { rule, subject, wakes_at: toIso(context.now + RETRY_MS) }
    }),
  )
  return admitted
}

/** Selects unknown names, each with the first document that has it. */
const FRESH = `
select min(document) as document, domain
from mentioned where domain not in (select domain from frontier) group by domain`

/**
 * The largest number of names that one document would add, and the largest number of names with the same
 * ending.
 */
const CROWDED = `
with fresh as (${FRESH})
select coalesce((select max(n) from (select count(*) as n from fresh group by document)), 0) as most,
  coalesce((select max(n) from (
    select count(*) as n from fresh group by regexp_extract(domain, '[^.]+\\.[^.]+$', 0))), 0) as alike`

function* toRows(all: readonly Mentions[]) {
  for (const [document, { domains }] of all.entries()) {
    for (const domain of domains) yield [document, domain]
  }
}

/** Loads the weight of each document, by the reason its domain is in the frontier. */
async function loadWeights(db: Database, all: readonly Mentions[]): Promise<number[]> {
  const vouched = await findVouched(
    db,
    all.map(({ subject }) => subject),
  )
  return all.map(({ subject }) => (vouched.has(subject) ? VOUCHED_WEIGHT : 1))
}

/** Finds the domains among these that an operator gave, or a person requested or saved. */
export async function findVouched(
  db: Database,
  domains: readonly string[],
): Promise<ReadonlySet<string>> {
  const vouched = await db.all<{ domain: string }>(
    `select domain from frontier where why in ('given', 'requested', 'saved')
       and domain in (select value from json_each($domains))`,
    { domains: JSON.stringify([...new Set(domains)]) },
  )
  return new Set(vouched.map(({ domain }) => domain))
}

function admit(
  fresh: readonly { document: number; domain: string }[],
  weights: readonly number[],
  { now, namesPerDocumentHour, namesPerSiteHour, newNames }: AdmissionContext,
): { admitted: Newcomer[]; postponed: Set<number> } {
  const counts = new Map<number, number>()
  const postponed = new Set<number>()
  const admitted: Newcomer[] = []
  for (const { document, domain } of fresh) {
    const count = counts.get(document) ?? 0
    const isFull = count >= namesPerDocumentHour * getAt(weights, document)
    const site = getRegistrableDomain(domain) ?? domain
    if (isFull || !newNames.take(site, namesPerSiteHour, now)) {
      postponed.add(document)
      continue
    }
    counts.set(document, count + 1)
    admitted.push({ domain, why: 'mentioned' })
  }
  return { admitted, postponed }
}

/** Admits a domain that callers looked up, if its registrable domain may grow; the next lookup tries again. */
export function admitDemanded(
  domains: readonly string[],
  { now, namesPerSiteHour, newNames }: AdmissionContext,
): string[] {
  return domains.filter(domain =>
    newNames.take(getRegistrableDomain(domain) ?? domain, namesPerSiteHour, now),
  )
}
