import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { requireValue } from '../../core/present.ts'
import type { PublisherRows } from '../../diff/publisher-rows.ts'
import type { FacetCount } from '../../diff/reach.ts'
import type { RowStamp } from '../../diff/stamp.ts'
import type { EventDraft } from '../../model/event.ts'
import type { Gone } from '../../serving/gone-keys.ts'
import { markAgents } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'
import { inList } from '../../store/in-list.ts'
import { applyBrake, type BrakeContext, type HeldBack } from '../crawl/brake.ts'
import type { Mentions } from '../crawl/mentions.ts'
import type { Files } from '../derivation-files.ts'
import type { Leavings } from './agents.ts'
import { type ClaimSlice, updateClaims } from './claims.ts'
import {
  type DerivationLimits,
  derivePublishers,
  type PublisherDerived,
  sortAnswers,
} from './publisher-answers.ts'
import { listChangedManagers } from './publisher-changes.ts'
import { type Compared, compare, compareRefused } from './publisher-comparison.ts'
import { addLastResolved, groupLeavings } from './publisher-losses.ts'
import {
  buildRemainder,
  type Portioned,
  takePortions,
  type Unfinished,
  type UnfinishedAnswers,
} from './publisher-portions.ts'
import { writePublishers } from './publisher-rows.ts'
import { quarantinePublishers } from './too-broad.ts'

/** Answers that earlier commits of the writer have applied in part. */
export interface UnfinishedContext {
  unfinishedAnswers: UnfinishedAnswers
}

/** Result of deriving publishers again. */
export interface PublisherChanges {
  derived: PublisherDerived[]
  /** Publishers that are derived by a later commit. */
  postponed: Domain[]
  /** Publishers whose answer is applied in part; the next commits apply the rest. */
  unfinished: number
  /** Publishers to project again; an unfinished one keeps its old projection until its last portion. */
  domains: Domain[]
  mentions: Mentions[]
  events: EventDraft[]
  /** Changes to the reach of agents. */
  reached: FacetCount[]
  left: Leavings
  /** Domains that manage another number of publishers' files than before. */
  managers: string[]
  /** Removed keys of the serving store. */
  gone: Gone
  /** Losses that the brake held back. */
  held: HeldBack
}

/**
 * Derives publishers again, writes what differs and says what that means. Of an answer that differs in
 * very many rows a commit takes on a portion; the publisher is woken at once for the next one.
 */
export async function updatePublishers(
  db: Database,
  domains: readonly Domain[],
  files: Files,
  stamp: RowStamp & BrakeContext & DerivationLimits & UnfinishedContext,
): Promise<PublisherChanges> {
  const { unfinishedAnswers } = stamp
  const { begun, waiting } = await unfinishedAnswers.take(db, domains, stamp)
  const later = new Set(waiting)
  const left = await findLeft(
    db,
    domains.filter(domain => !begun.has(domain)),
  )
  const { derived, postponed: untried } = await derivePublishers(
    domains.filter(domain => !begun.has(domain) && !later.has(domain)),
    files,
    { ...stamp, begun: begun.size + later.size },
  )
  const { answered, postponed, refused } = await sortAnswers(db, derived, stamp)
  const fresh = await compare(db, answered, stamp)
  const refusing = refused.length > 0 ? await compareRefused(db, refused, stamp) : []
  const braked = await applyBrake(db, [...fresh, ...refusing], stamp)
  const compared = [...[...begun.values()].map(({ compared }) => compared), ...braked.answers]
  const portioned = takePortions(compared, begun, stamp)
  const touched = portioned.filter(({ isChanged }) => isChanged)
  await writePublishers(db, touched, stamp.seq)
  const claimsLeft = await writeClaims(db, { begun, fresh, compared }, files, stamp)
  const portions = portioned.map(portion => ({
    ...portion,
    isLast: portion.isLast && !claimsLeft.has(portion.domain),
  }))
  await quarantinePublishers(db, refused, fresh, stamp)
  const all = [...[...begun.values()].map(unfinished => unfinished.derived), ...derived]
  const ends = listEnds(begun, braked.ends)
  const next = new Map(listRemainders(portions, { all, ends, claimsLeft }))
  await unfinishedAnswers.keep(db, next)
  const isLate = (domain: Domain) => next.has(domain) || postponed.has(domain)
  return {
    derived: all.map(derivation =>
      setEarlierWake(
        derivation,
        isLate(derivation.subject) ? stamp.now : ends.get(derivation.subject),
      ),
    ),
    postponed: untried,
    unfinished: next.size + postponed.size + untried.length + waiting.length,
    domains: portions.flatMap(({ domain, isLast, isChanged }) =>
      isLast && (isChanged || begun.has(domain) || left.has(domain)) ? domain : [],
    ),
    mentions: fresh.map(({ domain, facts }) => ({
      rule: 'publisher',
      subject: domain,
      domains: facts.mentions,
    })),
    ...(await describeChanges(db, touched, files)),
    held: braked.held,
  }
}

/** Writes the claims of answers, those of large ones slice by slice; returns the slices that are left. */
function writeClaims(
  db: Database,
  {
    begun,
    fresh,
    compared,
  }: {
    begun: ReadonlyMap<Domain, Unfinished>
    fresh: readonly Compared[]
    compared: readonly Compared[]
  },
  { takenDown }: Files,
  stamp: RowStamp & DerivationLimits,
): ReturnType<typeof updateClaims> {
  const portionable = new Set(compared.map(({ domain }) => domain))
  const claiming = [...begun].flatMap(([domain, { compared, slices }]) =>
    slices === undefined ? [] : [{ domain, facts: compared.facts, slices }],
  )
  return updateClaims(
    db,
    [...claiming, ...fresh.map(({ domain, facts }) => ({ domain, facts }))],
    { ...stamp, takenDown },
    domain => stamp.portionRows !== undefined && portionable.has(domain),
  )
}

/**
 * Lists the moments at which answers change by themselves, of those begun before and of those of this commit.
 */
function listEnds(
  begun: ReadonlyMap<Domain, Unfinished>,
  braked: ReadonlyMap<Domain, Instant>,
): Map<Domain, Instant> {
  const ends = new Map(braked)
  for (const [domain, left] of begun) if (left.ends !== undefined) ends.set(domain, left.ends)
  return ends
}

/** Lists what is left of answers of which a portion was not the last. */
function listRemainders(
  portions: readonly Portioned[],
  {
    all,
    ends,
    claimsLeft,
  }: {
    all: readonly PublisherDerived[]
    ends: ReadonlyMap<Domain, Instant>
    claimsLeft: ReadonlyMap<Domain, readonly ClaimSlice[]>
  },
): [Domain, Unfinished][] {
  return portions.flatMap((portion): [Domain, Unfinished][] => {
    const { domain, isLast } = portion
    if (isLast) return []
    const derived = requireValue(
      all.find(({ subject }) => subject === domain),
      `answer for ${domain}`,
    )
    const slices = claimsLeft.get(domain)
    const rest = { derived, ends: ends.get(domain), ...(slices && { slices }) }
    return [[domain, buildRemainder(portion, rest)]]
  })
}

/** Describes what portions change: events, reach, managers and keys that went away. */
async function describeChanges(
  db: Database,
  touched: readonly Portioned[],
  files: Files,
): Promise<Pick<PublisherChanges, 'events' | 'reached' | 'left' | 'managers' | 'gone'>> {
  return {
    events: touched.flatMap(({ events, old }) => addLastResolved(events, old.publisher, files)),
    reached: [
      ...touched.flatMap(({ reached }) => reached),
      ...(await listReachedByMerges(db, touched)),
    ],
    left: groupLeavings(touched),
    managers: [...new Set(touched.flatMap(listChangedManagers))],
    gone: {
      reach: touched.flatMap(({ gone }) => gone.reach),
      identifier: touched.flatMap(({ gone }) => gone.identifier),
    },
  }
}

function setEarlierWake(
  derivation: PublisherDerived,
  sooner: Instant | undefined,
): PublisherDerived {
  if (sooner === undefined) return derivation
  return { ...derivation, wakesAt: Math.min(sooner, derivation.wakesAt ?? sooner) }
}

/**
 * Lists agents that are reached through merges: grants of several publishers reach a merged property, so
 * its agents are counted again.
 */
function listReachedByMerges(
  db: Database,
  touched: readonly { domain: string; merges: PublisherRows['merges'] }[],
): Promise<FacetCount[]> | FacetCount[] {
  const merged = touched.filter(({ merges }) => merges !== undefined)
  if (merged.length === 0) return []
  const rids = merged.flatMap(({ merges }) => [...(merges?.mergedRids ?? [])])
  const domains = merged.map(({ domain }) => domain)
  return markAgents(db, rids, domains)
}

/** Finds publishers that earlier commits left to this one: all of their rows may be written, and not projected. */
async function findLeft(db: Database, domains: readonly Domain[]): Promise<ReadonlySet<Domain>> {
  if (domains.length === 0) return new Set()
  const { condition, keys } = inList('subject', domains)
  const rows = await db.all<{ subject: Domain }>(
    `select subject from wakes where ${condition} and rule = 'publisher'
       and wakes_at <= (select committed_at from meta)`,
    keys,
  )
  return new Set(rows.map(({ subject }) => subject))
}
