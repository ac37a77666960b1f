import { toIso } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { hashStructure, hashStructureOfSet } from '../core/structural-hash.ts'
import type { PropertyEntry } from '../model/documents/index.ts'
import type {
  AuthorizationRow,
  BrandRow,
  CollectionRow,
  PropertyRow,
  PublisherRow,
} from '../model/rows.ts'
import type { BrandFacts } from '../resolve/brand.ts'
import type { NoPublisher, PublisherFacts } from '../resolve/publisher.ts'
import { emptyCatalog } from '../resolve/publisher-catalog.ts'
import { buildAuthorizationRows, readTerms } from './authorizations.ts'
import { buildCollectionRows, toCollection, toRemovedRow } from './collections.ts'
import { type Merges, mergeEntries, noMerges } from './merges.ts'
import { identify, toFactsKey } from './property-identity.ts'
import { REACH_FORMAT } from './reach.ts'
import { compareTypeAndValue, sortStrings } from './sets.ts'
import type { Stamp } from './stamp.ts'

/** Everything the index holds of one publisher. */
export interface PublisherRows {
  publisher: PublisherRow | undefined
  properties: PropertyRow[]
  authorizations: AuthorizationRow[]
  collections: CollectionRow[]
  merges?: Merges
}

/** Channel that a type of property implies if the publisher names none. */
const channelOfType: Readonly<Record<string, string>> = {
  website: 'display',
  mobile_app: 'display',
  desktop_app: 'display',
  ctv_app: 'ctv',
  dooh: 'dooh',
  podcast: 'podcast',
  radio: 'radio',
  linear_tv: 'linear_tv',
  streaming_audio: 'streaming_audio',
  ai_assistant: 'sponsored_intelligence',
}

export function buildBrandRow(domain: Domain, facts: BrandFacts, seq: number): BrandRow {
  return {
    domain,
    canonical_id: facts.canonical_domain,
    canonical_domain: facts.canonical_domain,
    brand_name: facts.brand_name,
    source: 'brand_json',
    brand_id: facts.brand_id ?? null,
    keller_type: facts.keller_type ?? null,
    house_domain: facts.house_domain ?? null,
    house_name: facts.house_name ?? null,
    claimed_house_domain: facts.claimed_house_domain ?? null,
    parent_brand: facts.parent_brand ?? null,
    brand_agent_url: facts.brand_agent_url ?? null,
    relationship_trust: facts.relationship_trust,
    relationship_declared_at: facts.relationship_declared_at ?? null,
    names: facts.names ?? null,
    manifest: facts.manifest ?? null,
    seq,
    resolved_location: facts.resolved_location ?? domain,
  }
}

/**
 * Builds the rows from a publisher's facts and its current rows. Properties keep their identity and are
 * never dropped: one that the file no longer names, or whose file fails, is stale. `known` are the rows
 * that entries are recognised by, if these are not the current ones.
 */
export function buildPublisherRows(
  domain: Domain,
  facts: PublisherFacts,
  before: PublisherRows,
  stamp: Stamp,
  known: readonly PropertyRow[] = before.properties,
): PublisherRows {
  const { merges = noMerges } = before
  const rids = identify(known, facts.properties, stamp.mint, merges.canonical)
  const old = new Map(before.properties.map(row => [row.property_rid, row]))
  const selectable = new Set(rids.slice(0, facts.selectable))
  const listed = new Map(
    [...mergeEntries(facts.properties, rids, before.properties, merges)].map(([rid, entry]) => [
      rid,
      {
        ...buildPropertyRow(domain, entry, rid, facts, old.get(rid), stamp),
        inline_only: selectable.has(rid) ? null : (true as const),
      },
    ]),
  )
  const unlisted = before.properties
    .filter(row => !listed.has(row.property_rid))
    .map(row => toStaleRow(row, facts.revoked ? 'revoked' : 'not_listed', stamp))
  const properties = [...listed.values(), ...unlisted]
  const authorizations =
    facts.validity === 'expired'
      ? []
      : buildAuthorizationRows(domain, facts, rids, before.authorizations, stamp)
  const listing = facts.validity === 'expired' ? [] : facts.collections
  const collections = buildCollectionRows(domain, listing, before.collections, stamp, merges)
  const owned = { properties, authorizations, collections }
  return { publisher: buildPublisherRow(domain, facts, owned, before, stamp), ...owned }
}

/** Builds the rows of a publisher without a file: its records are ended, and stored for their ids. */
export function buildOrphanedRows(
  { revoked }: NoPublisher,
  before: PublisherRows & { publisher: PublisherRow },
  stamp: Stamp,
): PublisherRows {
  const none = {
    agent_count: 0,
    property_count: 0,
    collection_count: 0,
    listed_agents: [],
    placement_count: 0,
    format_count: 0,
    catalog: { formats: [], placements: [] },
    reach_format: REACH_FORMAT,
  }
  const stamped = { changed_at: toIso(stamp.now), seq: stamp.seq }
  const reason = revoked ? 'revoked' : 'validation_failed'
  return {
    publisher: { ...before.publisher, valid: false, ...none, ...stamped },
    properties: before.properties.map(row => toStaleRow(row, reason, stamp)),
    authorizations: [],
    collections: before.collections.map(row => toRemovedRow(row, stamp)),
  }
}

function listGranted(rows: readonly AuthorizationRow[]): ReadonlySet<string> {
  return new Set(rows.filter(row => row.in_force).map(row => row.agent_url))
}

/** Lists agents that are listed without a grant now: a listing lasts as long as a grant would. */
function listListedAgents(
  { validity, listed }: PublisherFacts,
  authorizations: readonly AuthorizationRow[],
  granted: ReadonlySet<string>,
): string[] {
  if (validity === 'expired') return []
  const all = [...listed, ...authorizations.map(row => row.agent_url)]
  return sortStrings(all.filter(agent => !granted.has(agent)))
}

function countActive(rows: readonly { status: string }[]): number {
  return rows.filter(row => row.status === 'active').length
}

/** Chooses the channels of a property: those it declares, else those implied by its type. */
export function chooseChannels(type: string, declared: string[]): string[] {
  const implied = channelOfType[type]
  return declared.length > 0 || implied === undefined ? declared : [implied]
}

export function toStaleRow(
  row: PropertyRow,
  reason: string,
  { now, seq }: Pick<Stamp, 'now' | 'seq'>,
): PropertyRow {
  if (row.status !== 'active') return row
  return { ...row, status: 'stale', stale_reason: reason, changed_at: toIso(now), seq }
}

function buildPropertyRow(
  domain: Domain,
  entry: PropertyEntry,
  rid: string,
  { validity }: PublisherFacts,
  old: PropertyRow | undefined,
  { now, seq }: Stamp,
): Omit<PropertyRow, 'inline_only'> {
  const declared = sortStrings(entry.supported_channels)
  const isValid = validity === 'valid'
  return {
    property_rid: rid,
    publisher_domain: domain,
    property_id: entry.property_id ?? null,
    property_type: entry.property_type,
    name: entry.name,
    identifiers: [...entry.identifiers].sort(compareTypeAndValue),
    tags: sortStrings(entry.tags),
    supported_channels: declared,
    channels: chooseChannels(entry.property_type, declared),
    categories: entry.categories ? sortStrings(entry.categories) : null,
    category_taxonomy: entry.category_taxonomy ?? null,
    classification: 'property',
    source: 'authoritative',
    status: isValid ? 'active' : 'stale',
    stale_reason: isValid ? null : 'validation_failed',
    created_at: old?.created_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}

function buildPublisherRow(
  domain: Domain,
  facts: PublisherFacts,
  { properties, authorizations, collections }: Omit<PublisherRows, 'publisher'>,
  before: PublisherRows,
  { now, seq }: Stamp,
): PublisherRow {
  const catalog = facts.validity === 'expired' ? emptyCatalog : facts.catalog
  const granted = listGranted(authorizations)
  return {
    domain,
    valid: facts.validity === 'valid' && facts.is_usable,
    discovery_method: facts.discovery_method,
    manager_domain: facts.manager_domain ?? null,
    resolved_location: facts.resolved_location,
    agent_count: granted.size,
    property_count: countActive(properties),
    collection_count: countActive(collections),
    placement_count: catalog.placements.length,
    format_count: catalog.formats.length,
    signal_count: facts.signal_count,
    fields: hashFields(domain, facts),
    catalog: { formats: [...catalog.formats], placements: [...catalog.placements] },
    listed_agents: listListedAgents(facts, authorizations, granted),
    reach_format: REACH_FORMAT,
    discovered_at: before.publisher?.discovered_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}

/**
 * Hashes the fields by which a later change is recognized. Of a shared file only the part about this
 * publisher counts, wherever in the file it is.
 */
function hashFields(
  domain: Domain,
  {
    discovery_method,
    document,
    resolved_location,
    properties,
    grants,
    collections,
    catalog,
  }: PublisherFacts,
): Record<string, string> {
  if (discovery_method === 'direct') return document.fields
  const names = properties.map(toFactsKey)
  const terms = grants.map(({ entry, reaches }) => [
    readTerms(domain, entry),
    hashStructureOfSet(reaches.map(index => names[index])),
  ])
  return {
    authoritative_location: hashStructure(resolved_location),
    authorized_agents: hashStructureOfSet(terms),
    properties: hashStructureOfSet(properties),
    ...hashItems('collections', collections.map(toCollection)),
    ...hashItems('placements', catalog.placements),
    ...hashItems('formats', catalog.formats),
  }
}

/** Hashes the items of a list; an empty list counts as absent. */
function hashItems(name: string, items: readonly unknown[]): Record<string, string> {
  return items.length === 0 ? {} : { [name]: hashStructureOfSet(items) }
}
