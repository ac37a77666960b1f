import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { buildIdentityHints, buildSavedRows, mayShowSavedProperties } from '../../diff/hosted.ts'
import { noMerges } from '../../diff/merges.ts'
import type { FacetCount } from '../../diff/reach.ts'
import { buildOrphanedRows, buildPublisherRows, type PublisherRows } from '../../diff/rows.ts'
import type { Stamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import { PUBLISHER_MAX } from '../../model/publisher-size.ts'
import type { HostedProperty } from '../../model/save.ts'
import { pending } from '../../resolve/derivation.ts'
import { derivePublisher, type NoPublisher, type PublisherFacts } from '../../resolve/publisher.ts'
import type { Gone } from '../../serving/gone-keys.ts'
import { markAgents } from '../../store/aliases.ts'
import type { Database } from '../../store/duckdb.ts'
import { loadLiveEntries, readProperties } from '../../store/entries.ts'
import { applyBrake, type Braking, type HeldBack } from '../crawl/brake.ts'
import type { Mentions } from '../crawl/mentions.ts'
import { type Derived, deriveAll, type Files } from '../derivation-runner.ts'
import { type ClaimSlice, updateClaims } from './claims.ts'
import { diffPublisherRows, listChangedManagers } from './publisher-changes.ts'
import { takeOn, type Unfinished, UnfinishedAnswers } from './publisher-portions.ts'
import { buildEmptyPublisherRows, loadPublishers, writePublishers } from './publisher-rows.ts'
import {
  checkStoredGrants,
  describeTooMuch,
  quarantinePublishers,
  type Refused,
  weighFacts,
  weighInMemory,
} from './too-broad.ts'

type PublisherDerived = Derived<
  Domain,
  Awaited<
    ReturnType<typeof derivePublisher> extends Generator<unknown, infer Answer, never>
      ? Answer
      : never
  >
>

/** Limit on the rows that one commit applies. */
export interface Portioning {
  /** Rows of publishers; everything where nothing is said. */
  portionRows?: number | undefined
}

/** Result of deriving publishers again. */
export interface PublisherChanges {
  derived: PublisherDerived[]
  /** Publishers of which more is to be taken on. */
  unfinished: number
  /** Publishers to project again; an unfinished one keeps its old projection until its last portion. */
  domains: Domain[]
  mentions: Mentions[]
  events: EventDraft[]
  /** Changes to the reach of agents. */
  reached: FacetCount[]
  /** Domains that manage another number of publishers' files than before. */
  managers: string[]
  /** Keys of the serving store that went away. */
  gone: Gone
  /** Losses that the brake held back. */
  held: HeldBack
}

interface Answered {
  domain: Domain
  facts: PublisherFacts | NoPublisher
}

/** An answer as it is compared with the rows that stand. */
interface Compared extends Answered {
  merges: PublisherRows['merges']
  old: PublisherRows
  fresh: PublisherRows
}

/** An answer whose first rows stand, and when it is needed again for another reason than the others. */
interface Left extends Unfinished {
  derived: PublisherDerived
  compared: Compared
  ends: Instant | undefined
  /** Claims that are not written yet. */
  slices?: readonly ClaimSlice[]
}

const unfinished = new UnfinishedAnswers<Left>()

/**
 * Derives publishers again, writes what differs and says what that means. Of an answer that differs in
 * very many rows a commit takes on a portion; the publisher is woken at once for the next one.
 */
export async function updatePublishers(
  db: Database,
  domains: readonly Domain[],
  files: Files,
  stamp: Stamp & Braking & Portioning,
): Promise<PublisherChanges> {
  const left = await unfinished.take(db, domains)
  const asked = domains.filter(domain => !left.has(domain))
  const derived = await deriveAll(asked, domain => derivePublisher(domain, stamp.now), files)
  const { answered, postponed, refused } = await sortAnswers(db, derived, stamp)
  const braked = await applyBrake(db, await compare(db, answered, stamp), stamp)
  const ends = new Map(braked.ends)
  for (const [domain, one] of left) if (one.ends !== undefined) ends.set(domain, one.ends)
  const compared = [...[...left.values()].map(one => one.compared), ...braked.answers]
  let room = stamp.portionRows ?? Number.POSITIVE_INFINITY
  // The commit that derives an answer has its share of work already.
  const roomFor = (domain: Domain) => ({
    all: Math.max(1, room),
    part: Math.max(1, left.has(domain) ? room : Math.floor(room / 10)),
    isLeft: left.has(domain),
  })
  const portioned = compared.map(one => {
    const portion = takeOn(one.old, one.fresh, roomFor(one.domain), stamp)
    room -= portion.changes
    return { ...one, ...portion, ...diffPublisherRows(one.old, portion.rows, stamp) }
  })
  const touched = portioned.filter(({ isChanged }) => isChanged)
  await writePublishers(db, touched)
  const portionable = new Set(compared.map(({ domain }) => domain))
  const claiming = [...left].flatMap(([domain, { compared, slices }]) =>
    slices === undefined ? [] : [{ domain, facts: compared.facts, slices }],
  )
  const claimsLeft = await updateClaims(
    db,
    [...claiming, ...answered],
    { ...stamp, takenDown: files.takenDown },
    domain => stamp.portionRows !== undefined && portionable.has(domain),
  )
  const portions = portioned.map(one => ({
    ...one,
    isLast: one.isLast && !claimsLeft.has(one.domain),
  }))
  await quarantinePublishers(db, refused, answered, stamp)
  const all = [...[...left.values()].map(one => one.derived), ...derived]
  const notLast = new Set(portions.flatMap(one => (one.isLast ? [] : one.domain)))
  const next = portions
    .filter(one => !one.isLast)
    .map(({ domain, facts, merges, rows, fresh }): [Domain, Left] => {
      const compared = { domain, facts, merges, old: rows, fresh }
      const own = all.find(one => one.subject === domain)!
      const slices = claimsLeft.get(domain)
      const rest = { derived: own, sources: own.asked, compared, ends: ends.get(domain) }
      return [domain, { ...rest, ...(slices && { slices }) }]
    })
  await unfinished.keep(db, new Map(next))
  const isLate = (domain: Domain) => notLast.has(domain) || postponed.has(domain)
  return {
    derived: all.map(one =>
      wakingSooner(one, isLate(one.subject) ? stamp.now : ends.get(one.subject)),
    ),
    unfinished: notLast.size + postponed.size,
    domains: portions.flatMap(({ domain, isLast, isChanged }) =>
      isLast && (isChanged || left.has(domain)) ? domain : [],
    ),
    mentions: answered.map(({ domain, facts }) => ({
      rule: 'publisher',
      subject: domain,
      domains: facts.mentions,
    })),
    events: touched.flatMap(({ events }) => events),
    reached: [
      ...touched.flatMap(({ reached }) => reached),
      ...(await reachedByMerges(db, touched)),
    ],
    managers: [...new Set(touched.flatMap(listChangedManagers))],
    gone: {
      reach: touched.flatMap(({ gone }) => gone.reach),
      identifier: touched.flatMap(({ gone }) => gone.identifier),
    },
    held: braked.held,
  }
}

/** The rows that stand, and those that answers make. */
async function compare(
  db: Database,
  answered: readonly Answered[],
  stamp: Stamp,
): Promise<Compared[]> {
  const before = await loadPublishers(
    db,
    answered.map(({ domain }) => domain),
  )
  const told = await loadEntryProperties(db, answered, before)
  return answered.map(({ domain, facts }) => {
    const old = before.get(domain) ?? buildEmptyPublisherRows(undefined)
    const fresh = buildFreshRows(domain, facts, old, told.get(domain) ?? [], stamp)
    return { domain, facts, merges: old.merges, old, fresh }
  })
}

/** Maximum weight of the answers that one commit compares; any single publisher fits in. */
const COMMIT_WEIGHT = 2 * PUBLISHER_MAX

/**
 * Sorts out which answers are compared now, which wait for the next commit, and which are refused because
 * they come to more than is kept of a publisher: then what was known stands.
 */
async function sortAnswers(
  db: Database,
  derived: readonly PublisherDerived[],
  { portionRows }: Portioning,
): Promise<{ answered: Answered[]; postponed: Set<Domain>; refused: Refused[] }> {
  const answered: Answered[] = []
  const postponed = new Set<Domain>()
  const refused: Refused[] = []
  let weight = 0
  for (const { subject: domain, answer: facts } of derived) {
    if (facts === undefined || facts === pending) continue
    const own = weighFacts(facts)
    const held = weighInMemory(facts)
    const reason =
      own > PUBLISHER_MAX ? describeTooMuch(own) : await checkStoredGrants(db, domain, facts)
    if (reason !== undefined) refused.push({ domain, reason })
    else if (portionRows !== undefined && weight > 0 && weight + held > COMMIT_WEIGHT) {
      postponed.add(domain)
    } else {
      weight += held
      answered.push({ domain, facts })
    }
  }
  return { answered, postponed, refused }
}

function wakingSooner(one: PublisherDerived, at: Instant | undefined): PublisherDerived {
  if (at === undefined) return one
  return { ...one, wakesAt: Math.min(at, one.wakesAt ?? at) }
}

/** A merged property is reached by grants of several publishers: its agents are added up again. */
function reachedByMerges(
  db: Database,
  touched: readonly { domain: string; merges: PublisherRows['merges'] }[],
): Promise<FacetCount[]> | FacetCount[] {
  const merged = touched.filter(({ merges }) => merges !== undefined)
  if (merged.length === 0) return []
  const rids = merged.flatMap(({ merges }) => [...merges!.mergedRids])
  const domains = merged.map(({ domain }) => domain)
  return markAgents(db, rids, domains)
}

/** Loads the saved properties of publishers whose file was not valid, or no longer is. */
async function loadEntryProperties(
  db: Database,
  answered: readonly { domain: Domain; facts: PublisherFacts | NoPublisher }[],
  before: ReadonlyMap<string, PublisherRows>,
): Promise<Map<string, HostedProperty[]>> {
  const open = answered.filter(
    ({ domain, facts }) =>
      before.get(domain)?.publisher?.valid !== true ||
      !facts.document ||
      facts.validity !== 'valid',
  )
  const entries = await loadLiveEntries(
    db,
    'property',
    open.map(({ domain }) => domain),
  )
  return new Map([...entries].map(([domain, entry]) => [domain, readProperties(entry)]))
}

/** The rows of a publisher by its file, and by what people told of it where no file counts. */
function buildFreshRows(
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
  old: PublisherRows,
  told: readonly HostedProperty[],
  stamp: Stamp,
): PublisherRows {
  const rows = rowsOfFile(domain, facts, old, told, stamp)
  if (told.length === 0 || !mayShowSavedProperties(rows)) return rows
  const merges = old.merges ?? noMerges
  return { ...rows, properties: buildSavedRows(domain, told, { ...rows, merges }, stamp) }
}

function rowsOfFile(
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
  old: PublisherRows,
  told: readonly HostedProperty[],
  stamp: Stamp,
): PublisherRows {
  const { publisher } = old
  if (!facts.document)
    return publisher ? buildOrphanedRows(facts, { ...old, publisher }, stamp) : old
  if (told.length === 0) return buildPublisherRows(domain, facts, old, stamp)
  // A property that people told of keeps the rid it had with them.
  const rids = new Set(told.map(({ property_rid }) => property_rid))
  const others = old.properties.filter(row => !rids.has(row.property_rid))
  const known = [...others, ...buildIdentityHints(told, facts.properties)]
  return buildPublisherRows(domain, facts, old, stamp, known)
}
