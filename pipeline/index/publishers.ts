import type { Instant } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { authorizationEvents, authorizationFacts } from '../diff/authorization-events.ts'
import { collectionEvents, collectionFacts } from '../diff/collections.ts'
import { type Change, diff } from '../diff/diff.ts'
import { propertyEvents, propertyFacts, publisherEvents } from '../diff/events.ts'
import { hintsOf } from '../diff/hosted.ts'
import { type FacetCount, reachDelta } from '../diff/reach.ts'
import { type PublisherRows, publisherRowsOf, type Stamp, strandedRowsOf } from '../diff/rows.ts'
import type { EventDraft } from '../model/event.ts'
import type {
  AuthorizationRow,
  CollectionRow,
  EntryRow,
  PropertyRow,
  PublisherRow,
} from '../model/rows.ts'
import { pending } from '../resolve/derivation.ts'
import { type Astray, derivePublisher, type PublisherFacts } from '../resolve/publisher.ts'
import { loadMerges, markAgents } from './aliases.ts'
import { type Braking, brake, type HeldBack } from './brake.ts'
import { type Gone, goneOf, nothingGone } from './changes.ts'
import { updateClaims } from './claims.ts'
import { type Derived, deriveAll, type Files } from './derive.ts'
import { type Database, listOf } from './duckdb.ts'
import { liveEntries, propertiesOfEntry } from './entries.ts'
import { writeChanges } from './rows.ts'

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

const statusAndFacts = [...propertyFacts, 'status', 'stale_reason', 'channels'] as const
const storedGrant = [
  ...authorizationFacts,
  'in_force',
  'entry',
  'property_rids',
  'publisher_wide',
  'discovery_method',
  'manager_domain',
] as const
const storedPublisher = [
  'valid',
  'discovery_method',
  'manager_domain',
  'resolved_location',
  'agent_count',
  'property_count',
  'collection_count',
  'placement_count',
  'format_count',
  'signal_count',
  'fields',
] as const satisfies (keyof PublisherRow)[]

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
  return publisher ? strandedRowsOf({ ...old, publisher }, stamp) : old
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

function nothingOf(publisher: PublisherRow | undefined): PublisherRows {
  return { publisher, properties: [], authorizations: [], collections: [] }
}

interface RowChanges {
  publisher: Change<PublisherRow>[]
  properties: Change<PropertyRow>[]
  authorizations: Change<AuthorizationRow>[]
  collections: Change<CollectionRow>[]
}

function managersOf({ publisher }: RowChanges): string[] {
  return publisher.flatMap(change => {
    const was = change.kind === 'added' ? undefined : change.old
    const is = change.kind === 'removed' ? undefined : change.row
    const isSame = was?.manager_domain === is?.manager_domain && was?.valid === is?.valid
    return isSame ? [] : [was?.manager_domain ?? [], is?.manager_domain ?? []].flat()
  })
}

function changesOf(old: PublisherRows, fresh: PublisherRows, stamp: Stamp) {
  const was = old.publisher ? [old.publisher] : []
  const is = fresh.publisher ? [fresh.publisher] : []
  const changes: RowChanges = {
    publisher: diff(was, is, row => row.domain, storedPublisher),
    properties: diff(old.properties, fresh.properties, row => row.property_rid, statusAndFacts),
    authorizations: diff(old.authorizations, fresh.authorizations, row => row.id, storedGrant),
    collections: diff(
      old.collections,
      fresh.collections,
      row => row.collection_rid,
      collectionFacts,
    ),
  }
  const reach = changes.properties.length + changes.authorizations.length
  return {
    ...changes,
    isChanged: reach + changes.publisher.length + changes.collections.length > 0,
    reached: reach === 0 ? [] : reachDelta(old, fresh),
    gone: reach === 0 ? nothingGone : goneOf(old, fresh),
    events: [
      ...is.flatMap(row => publisherEvents(old.publisher, row)),
      ...changes.properties.flatMap(propertyEvents),
      ...changes.authorizations.flatMap(change => authorizationEvents(change, stamp)),
      ...changes.collections.flatMap(collectionEvents),
    ],
  }
}

export async function loadPublishers(
  db: Database,
  domains: readonly Domain[],
): Promise<Map<string, PublisherRows>> {
  const found = new Map<string, PublisherRows>()
  if (domains.length === 0) return found
  const of = { domains: JSON.stringify(domains) }
  const inDomains = `in (select unnest(${listOf('$domains')}))`
  const publishers = await db.all<PublisherRow>(
    `select * from publishers where domain ${inDomains}`,
    of,
  )
  const merged = await loadMerges(db, domains)
  for (const publisher of publishers) {
    const merges = merged.get(publisher.domain)
    found.set(publisher.domain, { ...nothingOf(publisher), ...(merges && { merges }) })
  }
  const owned = `where publisher_domain ${inDomains}`
  for (const row of await db.all<PropertyRow>(
    `select * from properties ${owned} order by created_at, property_rid`,
    of,
  )) {
    const rows = found.get(row.publisher_domain) ?? nothingOf(undefined)
    rows.properties.push(row)
    found.set(row.publisher_domain, rows)
  }
  for (const row of await db.all<AuthorizationRow>(
    `select * from authorizations ${owned} order by entry, id`,
    of,
  )) {
    found.get(row.publisher_domain)?.authorizations.push(row)
  }
  for (const row of await db.all<CollectionRow>(
    `select * from collections ${owned} order by created_at, collection_rid`,
    of,
  )) {
    const rows = found.get(row.publisher_domain) ?? nothingOf(undefined)
    rows.collections.push(row)
    found.set(row.publisher_domain, rows)
  }
  return found
}

async function writePublishers(db: Database, changes: readonly RowChanges[]): Promise<void> {
  await writeChanges(
    db,
    'publishers',
    'domain',
    changes.flatMap(change => change.publisher),
  )
  await writeChanges(
    db,
    'properties',
    'property_rid',
    changes.flatMap(change => change.properties),
  )
  await writeChanges(
    db,
    'authorizations',
    'id',
    changes.flatMap(change => change.authorizations),
  )
  await writeChanges(
    db,
    'collections',
    'collection_rid',
    changes.flatMap(change => change.collections),
  )
}
