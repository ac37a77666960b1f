import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { hintsOf } from '../diff/hosted.ts'
import type { FacetCount } from '../diff/reach.ts'
import { type PublisherRows, publisherRowsOf, type Stamp, strandedRowsOf } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type { EntryRow } from '../model/rows.ts'
import { pending } from '../resolve/derivation.ts'
import { type Astray, derivePublisher, type PublisherFacts } from '../resolve/publisher.ts'
import { markAgents } from './aliases.ts'
import { type Braking, brake, type HeldBack } from './brake.ts'
import type { Gone } from './changes.ts'
import { updateClaims } from './claims.ts'
import { type Derived, deriveAll, type Files } from './derive.ts'
import type { Database } from './duckdb.ts'
import { liveEntries, propertiesOfEntry } from './entries.ts'
import { changesOf, managersOf } from './publisher-changes.ts'
import { loadPublishers, nothingOf, writePublishers } from './publisher-rows.ts'

type PublisherDerived = Derived<
  Domain,
  Awaited<
    ReturnType<typeof derivePublisher> extends Generator<unknown, infer Answer, never>
      ? Answer
      : never
  >
>

/** What deriving publishers again came to. */
export interface PublisherChanges {
  derived: PublisherDerived[]
  domains: Domain[]
  mentions: Domain[]
  events: EventDraft[]
  /** What the changes add to what agents reach. */
  reached: FacetCount[]
  /** Domains that manage another number of publishers' files than before. */
  managers: string[]
  /** Keys of the serving store that went away. */
  gone: Gone
  /** What the brake held back. */
  held: HeldBack
}

/** Derives publishers again, writes what differs and says what that means. */
export async function updatePublishers(
  db: Database,
  domains: readonly Domain[],
  files: Files,
  stamp: Stamp & Braking,
): Promise<PublisherChanges> {
  const derived = await deriveAll(domains, domain => derivePublisher(domain, stamp.now), files)
  const answered = derived.flatMap(({ subject: domain, answer }) =>
    answer === undefined || answer === pending ? [] : [{ domain, facts: answer }],
  )
  const before = await loadPublishers(
    db,
    answered.map(({ domain }) => domain),
  )
  const newcomers = answered.filter(({ domain }) => !before.has(domain))
  const entries = await liveEntries(
    db,
    'property',
    newcomers.map(({ domain }) => domain),
  )
  const answers = answered.map(({ domain, facts }) => {
    const old = before.get(domain) ?? nothingOf(undefined)
    const entry = entries.get(domain)
    const fresh = entry
      ? firstRowsOf(domain, facts, entry, stamp)
      : freshRowsOf(domain, facts, old, stamp)
    return { domain, facts, merges: old.merges, old, fresh }
  })
  const braked = await brake(db, answers, stamp)
  const changes = braked.answers.map(one => ({ ...one, ...changesOf(one.old, one.fresh, stamp) }))
  const touched = changes.filter(({ isChanged }) => isChanged)
  await writePublishers(db, touched)
  await updateClaims(db, answered, { ...stamp, takenDown: files.takenDown })
  return {
    derived: derived.map(one => wakingSooner(one, braked.ends.get(one.subject))),
    domains: touched.map(({ domain }) => domain),
    mentions: touched.flatMap(({ facts }) => facts.mentions),
    events: touched.flatMap(({ events }) => events),
    reached: [
      ...touched.flatMap(({ reached }) => reached),
      ...(await reachedByMerges(db, touched)),
    ],
    managers: [...new Set(touched.flatMap(managersOf))],
    gone: {
      reach: touched.flatMap(({ gone }) => gone.reach),
      identifier: touched.flatMap(({ gone }) => gone.identifier),
    },
    held: braked.held,
  }
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
  const rids = merged.flatMap(({ merges }) => [...merges!.whole])
  const domains = merged.map(({ domain }) => domain)
  return markAgents(db, rids, domains)
}

function freshRowsOf(
  domain: Domain,
  facts: PublisherFacts | Astray,
  old: PublisherRows,
  stamp: Stamp,
): PublisherRows {
  if (facts.document) return publisherRowsOf(domain, facts, old, stamp)
  const { publisher } = old
  return publisher ? strandedRowsOf(facts, { ...old, publisher }, stamp) : old
}

/** The first rows of a publisher: a property that people told of keeps the rid it had with them. */
function firstRowsOf(
  domain: Domain,
  facts: PublisherFacts | Astray,
  entry: EntryRow,
  stamp: Stamp,
): PublisherRows {
  const nothing = nothingOf(undefined)
  if (!facts.document) return nothing
  const properties = hintsOf(propertiesOfEntry(entry), facts.properties)
  const fresh = publisherRowsOf(domain, facts, { ...nothing, properties }, stamp)
  // A hint that the file does not name was never a row.
  return { ...fresh, properties: fresh.properties.filter(row => row.publisher_domain === domain) }
}
