import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { buildIdentityHints, buildSavedRows, mayShowSavedProperties } from '../../diff/hosted.ts'
import { noMerges } from '../../diff/merges.ts'
import { type ChangesToSplit, countChanges } from '../../diff/portion.ts'
import type { FacetCount } from '../../diff/reach.ts'
import { buildOrphanedRows, buildPublisherRows, type PublisherRows } from '../../diff/rows.ts'
import type { Stamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import { PUBLISHER_MAX } from '../../model/publisher-size.ts'
import type { HostedProperty } from '../../model/save.ts'
import { pending } from '../../resolve/derivation.ts'
import { derivePublisher, type NoPublisher, type PublisherFacts } from '../../resolve/publisher.ts'
import type { Gone } from '../../serving/gone-keys.ts'
import { preparedPublishers } from '../../serving/projections/publishers.ts'
import { markAgents } from '../../store/aliases.ts'
import type { Database } from '../../store/duckdb.ts'
import { loadLiveEntries, readProperties } from '../../store/entries.ts'
import { applyBrake, type Braking, type HeldBack } from '../crawl/brake.ts'
import type { Mentions } from '../crawl/mentions.ts'
import { type Derived, deriveWithin, type Files } from '../derivation-runner.ts'
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

/** Limits on what one commit derives and applies. */
export interface Portioning {
  /** Rows of publishers; everything where nothing is said. */
  portionRows?: number | undefined
  /** Large files that answers are derived from; all where nothing is said. */
  largeFiles?: number
  /** Publishers that do not wait for others, nor for a commit of their own. */
  urgent?: ReadonlySet<Domain>
}

/** Result of deriving publishers again. */
export interface PublisherChanges {
  derived: PublisherDerived[]
  /** Publishers that are derived by a later commit. */
  postponed: Domain[]
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
  /** Changes that are left of an answer which commits before took on in part. */
  changes?: ChangesToSplit
}

/** An answer that is taken on by several commits, and when it is needed again for another reason. */
interface Left extends Unfinished {
  derived: PublisherDerived
  ends?: Instant | undefined
  /** Rows that stood before a large answer, loaded by a commit of their own. */
  before?: PublisherRows
  /** Set once it is compared, by a commit of its own where it is large. */
  compared?: Compared
  /** The brake has let it through, and its first rows stand. */
  isBegun?: boolean
  /** Claims that are not written yet. */
  slices?: readonly ClaimSlice[]
  /** Steps in which its projection was prepared. */
  prepared?: number
}
type Begun = Left & { compared: Compared }

const unfinished = new UnfinishedAnswers<Left>()

/**
 * Derives publishers again, writes what differs and says what that means. Of an answer that differs in
 * very many rows a commit takes on a portion; the publisher is woken at once for the next one. What comes
 * before the first portion of a large answer, and after its last one, is done in steps, a commit each.
 */
export async function updatePublishers(
  db: Database,
  domains: readonly Domain[],
  files: Files,
  stamp: Stamp & Braking & Portioning,
): Promise<PublisherChanges> {
  const { left, waiting, outdated } = await unfinished.take(db, domains, stamp)
  const later = new Set(waiting)
  const { derived, postponed: untried } = await deriveWithin(
    domains.filter(domain => !left.has(domain) && !later.has(domain)),
    domain => derivePublisher(domain, stamp.now),
    files,
    limitLargeFiles(stamp, left.size + later.size),
  )
  // Where somebody writes between two steps, again and again, all of them are taken at once.
  const atOnce = new Set([...outdated, ...(stamp.urgent ?? [])])
  const { answered, large, postponed, refused } = await sortAnswers(db, derived, stamp, atOnce)
  const { stepped, ready, begun } = await takeSteps(db, left, stamp)
  const fresh = [...ready, ...(await compare(db, answered, stamp))]
  const braked = await applyBrake(db, fresh, stamp)
  const ends = new Map(braked.ends)
  for (const [domain, unfinished] of begun)
    if (unfinished.ends !== undefined) ends.set(domain, unfinished.ends)
  const compared = [
    ...[...begun.values()].map(unfinished => unfinished.compared),
    ...braked.answers,
  ]
  const { portionRows = Number.POSITIVE_INFINITY } = stamp
  let room = portionRows
  const small = Math.floor(portionRows * SMALL_SHARE)
  // The commit that derives an answer has its share of work already.
  const roomFor = (domain: Domain) => ({
    all: Math.max(1, room, begun.has(domain) ? 0 : small),
    part: Math.max(1, begun.has(domain) ? room : Math.floor(room / 10)),
    isLeft: begun.has(domain),
  })
  const portioned = compared.map(answer => {
    const portion = takeOn(answer, roomFor(answer.domain), stamp)
    room -= portion.count
    return {
      ...answer,
      ...portion,
      ...diffPublisherRows(answer.old, portion.rows, stamp, portion.taken),
    }
  })
  const touched = portioned.filter(({ isChanged }) => isChanged)
  await writePublishers(db, touched)
  const portionable = new Set(compared.map(({ domain }) => domain))
  const claiming = [...begun].flatMap(([domain, { compared, slices }]) =>
    slices === undefined ? [] : [{ domain, facts: compared.facts, slices }],
  )
  const claimsLeft = await updateClaims(
    db,
    [...claiming, ...fresh.map(({ domain, facts }) => ({ domain, facts }))],
    { ...stamp, takenDown: files.takenDown },
    domain => stamp.portionRows !== undefined && portionable.has(domain),
  )
  const portions = portioned.map(portion => ({
    ...portion,
    isLast: portion.isLast && !claimsLeft.has(portion.domain),
  }))
  await quarantinePublishers(db, refused, fresh, stamp)
  const all = [...[...left.values()].map(unfinished => unfinished.derived), ...derived]
  const next = new Map([
    ...stepped,
    ...large.map(derivation => [derivation.subject, beginLarge(derivation)] as const),
  ])
  for (const { domain, facts, merges, rows, fresh, remaining, isLast } of portions) {
    if (isLast) continue
    const compared = { domain, facts, merges, old: rows, fresh, changes: remaining }
    const own = all.find(derivation => derivation.subject === domain)!
    const slices = claimsLeft.get(domain)
    const rest = { derived: own, sources: own.asked, compared, ends: ends.get(domain) }
    const unfinished = { ...rest, isBegun: true, ...(slices && { slices }) }
    const nextRows = countNextRows(unfinished, stamp)
    next.set(domain, { ...unfinished, ...(nextRows !== undefined && { nextRows }) })
  }
  await unfinished.keep(db, next)
  const isLate = (domain: Domain) => next.has(domain) || postponed.has(domain)
  return {
    derived: all.map(derivation =>
      wakeSooner(derivation, isLate(derivation.subject) ? stamp.now : ends.get(derivation.subject)),
    ),
    postponed: untried,
    unfinished: next.size + postponed.size + untried.length + waiting.length,
    domains: portions.flatMap(({ domain, isLast, isChanged }) =>
      isLast && (isChanged || begun.has(domain)) ? domain : [],
    ),
    mentions: fresh.map(({ domain, facts }) => ({
      rule: 'publisher',
      subject: domain,
      domains: facts.mentions,
    })),
    events: touched.flatMap(({ events }) => events),
    reached: [
      ...touched.flatMap(({ reached }) => reached),
      ...(await listReachedByMerges(db, touched)),
    ],
    managers: [...new Set(touched.flatMap(listChangedManagers))],
    gone: {
      reach: touched.flatMap(({ gone }) => gone.reach),
      identifier: touched.flatMap(({ gone }) => gone.identifier),
    },
    held: braked.held,
  }
}

function beginLarge(derived: PublisherDerived): Left {
  return { derived, sources: derived.asked }
}

/**
 * Takes the next step for large answers that wait for their first portion, or to be projected. `ready` are
 * those that go through the brake now, `begun` those that go on with their rows.
 */
async function takeSteps(
  db: Database,
  left: ReadonlyMap<Domain, Left>,
  stamp: Stamp & Portioning,
): Promise<{ stepped: Map<Domain, Left>; ready: Compared[]; begun: Map<Domain, Begun> }> {
  const stepped = new Map<Domain, Left>()
  const ready: Compared[] = []
  const begun = new Map<Domain, Begun>()
  for (const [domain, unfinished] of left) {
    const { before, compared, isBegun, derived } = unfinished
    if (isBegun) {
      const own = unfinished as Begun
      const { prepared = 0 } = own
      const isPreparing = prepared < PREPARING_STEPS && isWritten(own, stamp)
      if (isPreparing && (await preparedPublishers.prepare(db, domain, stamp.now))) {
        stepped.set(domain, { ...own, prepared: prepared + 1 })
      } else begun.set(domain, own)
    } else if (compared) ready.push(compared)
    else if (before) {
      const answer = { domain, facts: derived.answer as Answered['facts'] }
      const [made] = await compareWith(db, [answer], new Map([[domain, before]]), stamp)
      stepped.set(domain, { ...beginLarge(derived), compared: made! })
    } else {
      const rows = (await loadPublishers(db, [domain])).get(domain)
      stepped.set(domain, {
        ...beginLarge(derived),
        before: rows ?? buildEmptyPublisherRows(undefined),
      })
    }
  }
  return { stepped, ready, begun }
}

/** Counts the rows that the next step of a begun answer comes to; undefined for a whole commit. */
function countNextRows(
  { compared, slices }: Begun,
  { portionRows = Number.POSITIVE_INFINITY }: Portioning,
): number | undefined {
  const { facts, old, fresh, changes } = compared
  if (slices !== undefined || changes === undefined) return undefined
  const left = countChanges(changes, old, fresh)
  // All that is left may be its projection, of which that of a large one takes steps of its own.
  if (left === 0 && isLarge(facts, { portionRows })) return undefined
  const rows = fresh.properties.length + fresh.authorizations.length + fresh.collections.length
  return Math.max(left === 0 ? rows : left, portionRows * SMALL_SHARE)
}

/** Tells whether all rows of a large publisher are written, so that it is to be projected. */
function isWritten({ compared, slices }: Begun, stamp: Portioning): boolean {
  const { facts, old, fresh, changes } = compared
  if (!isLarge(facts, stamp) || slices !== undefined || changes === undefined) return false
  return countChanges(changes, old, fresh) === 0
}

/** Tells whether the steps of an answer are a commit each. */
function isLarge(
  facts: Answered['facts'],
  { portionRows = Number.POSITIVE_INFINITY }: Portioning,
): boolean {
  const claims = facts.document === undefined ? 0 : facts.claims.length
  return Math.max(weighFacts(facts), claims / CLAIMS_PER_ROW) > LARGE_PORTIONS * portionRows
}

/** Claims that take as long as a row: they have no events, and nothing is projected of them. */
const CLAIMS_PER_ROW = 4

/**
 * Share of a commit's rows up to which an answer is small. It is taken on at once, whether there is room or
 * not: a portion of it, and a commit that shows it, would cost more. Whoever hands in files bounds their number.
 */
const SMALL_SHARE = 0.1

/** Portions of which a large answer has more. */
const LARGE_PORTIONS = 3
/** Steps that a projection takes to be prepared; what is written in between does not have it wait longer. */
const PREPARING_STEPS = 2

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
  return compareWith(db, answered, before, stamp)
}

async function compareWith(
  db: Database,
  answered: readonly Answered[],
  before: ReadonlyMap<string, PublisherRows>,
  stamp: Stamp,
): Promise<Compared[]> {
  const saved = await loadEntryProperties(db, answered, before)
  return answered.map(({ domain, facts }) => {
    const old = before.get(domain) ?? buildEmptyPublisherRows(undefined)
    const fresh = buildFreshRows(domain, facts, old, saved.get(domain) ?? [], stamp)
    return { domain, facts, merges: old.merges, old, fresh }
  })
}

/** Weight of the answers that one commit compares; any single publisher fits in. */
const COMMIT_WEIGHT = PUBLISHER_MAX

/** Nothing is derived from a large file while other answers are taken on. */
function limitLargeFiles(
  { portionRows, largeFiles, urgent = new Set() }: Portioning,
  begun: number,
) {
  const isLimited = portionRows !== undefined && largeFiles !== undefined
  return {
    count: !isLimited ? Number.POSITIVE_INFINITY : begun > 0 ? 0 : largeFiles,
    maxWeight: isLimited ? COMMIT_WEIGHT : Number.POSITIVE_INFINITY,
    urgent,
    weigh: (facts: PublisherDerived['answer']) =>
      facts === undefined || facts === pending ? 0 : weighInMemory(facts),
  }
}

/**
 * Sorts out which answers are compared now, which are large and taken on step by step, which wait for the
 * next commit, and which are refused because they come to more than is kept of a publisher: then what was
 * known stands.
 */
async function sortAnswers(
  db: Database,
  derived: readonly PublisherDerived[],
  { portionRows, largeFiles }: Portioning,
  atOnce: ReadonlySet<Domain>,
): Promise<{
  answered: Answered[]
  large: PublisherDerived[]
  postponed: Set<Domain>
  refused: Refused[]
}> {
  const answered: Answered[] = []
  const large: PublisherDerived[] = []
  const postponed = new Set<Domain>()
  const refused: Refused[] = []
  let weight = 0
  for (const derivation of derived) {
    const { subject: domain, answer: facts } = derivation
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
      const isInSteps = largeFiles !== undefined && !atOnce.has(domain)
      if (isInSteps && isLarge(facts, { portionRows })) large.push(derivation)
      else answered.push({ domain, facts })
    }
  }
  return { answered, large, postponed, refused }
}

function wakeSooner(derivation: PublisherDerived, at: Instant | undefined): PublisherDerived {
  if (at === undefined) return derivation
  return { ...derivation, wakesAt: Math.min(at, derivation.wakesAt ?? at) }
}

/** A merged property is reached by grants of several publishers: its agents are added up again. */
function listReachedByMerges(
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
  saved: readonly HostedProperty[],
  stamp: Stamp,
): PublisherRows {
  const rows = buildRowsOfFile(domain, facts, old, saved, stamp)
  if (saved.length === 0 || !mayShowSavedProperties(rows)) return rows
  const merges = old.merges ?? noMerges
  return { ...rows, properties: buildSavedRows(domain, saved, { ...rows, merges }, stamp) }
}

function buildRowsOfFile(
  domain: Domain,
  facts: PublisherFacts | NoPublisher,
  old: PublisherRows,
  saved: readonly HostedProperty[],
  stamp: Stamp,
): PublisherRows {
  const { publisher } = old
  if (!facts.document)
    return publisher ? buildOrphanedRows(facts, { ...old, publisher }, stamp) : old
  if (saved.length === 0) return buildPublisherRows(domain, facts, old, stamp)
  // A property that people told of keeps the rid it had with them.
  const rids = new Set(saved.map(({ property_rid }) => property_rid))
  const others = old.properties.filter(row => !rids.has(row.property_rid))
  const known = [...others, ...buildIdentityHints(saved, facts.properties)]
  return buildPublisherRows(domain, facts, old, stamp, known)
}
