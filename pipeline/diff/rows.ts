import { type Instant, isoOf } from '../core/clock.ts'
import type { Domain } from '../core/domain.ts'
import { shortHash, shortHashOfSet } from '../core/short-hash.ts'
import type { PropertyEntry } from '../model/documents.ts'
import type {
  AuthorizationRow,
  BrandRow,
  CollectionRow,
  PropertyRow,
  PublisherRow,
} from '../model/rows.ts'
import type { BrandFacts } from '../resolve/brand.ts'
import type { Astray, PublisherFacts } from '../resolve/publisher.ts'
import { authorizationRowsOf, termsOf } from './authorizations.ts'
import { collectionOf, collectionRowsOf, removedRowOf } from './collections.ts'
import { factsKey, identify } from './identity.ts'
import { type Merges, noMerges, ownEntries } from './merges.ts'
import { byTypeAndValue, sorted } from './sets.ts'

/** Everything the index holds of one publisher. */
export interface PublisherRows {
  publisher: PublisherRow | undefined
  properties: PropertyRow[]
  authorizations: AuthorizationRow[]
  collections: CollectionRow[]
  merges?: Merges
}

/** When, in which commit, and where new identities come from. */
export interface Stamp {
  now: Instant
  seq: number
  mint: () => string
}

/** What a type of property says about its channels when the publisher says nothing. */
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

export function brandRowOf(domain: Domain, facts: BrandFacts, seq: number): BrandRow {
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
  }
}

/**
 * The rows that a publisher's facts make, given the rows that stand. Properties keep their identity
 * and are never dropped: one the file no longer names, or whose file fails, is stale.
 */
export function publisherRowsOf(
  domain: Domain,
  facts: PublisherFacts,
  before: PublisherRows,
  stamp: Stamp,
): PublisherRows {
  const { merges = noMerges } = before
  const rids = identify(before.properties, facts.properties, stamp.mint, merges.canonical)
  const old = new Map(before.properties.map(row => [row.property_rid, row]))
  const listed = new Map(
    [...ownEntries(facts.properties, rids, before.properties, merges)].map(([rid, entry]) => [
      rid,
      propertyRowOf(domain, entry, rid, facts, old.get(rid), stamp),
    ]),
  )
  const unlisted = before.properties
    .filter(row => !listed.has(row.property_rid))
    .map(row => staleRowOf(row, facts.revoked ? 'revoked' : 'not_listed', stamp))
  const properties = [...listed.values(), ...unlisted]
  const authorizations =
    facts.standing === 'ended'
      ? []
      : authorizationRowsOf(domain, facts, rids, before.authorizations, stamp)
  const listing = facts.standing === 'ended' ? [] : facts.collections
  const collections = collectionRowsOf(domain, listing, before.collections, stamp, merges)
  const owned = { properties, authorizations, collections }
  return { publisher: publisherRowOf(domain, facts, owned, before, stamp), ...owned }
}

/** The rows of a publisher whom no file speaks for: what was known of it is over, and remembered. */
export function strandedRowsOf(
  { revoked }: Astray,
  before: PublisherRows & { publisher: PublisherRow },
  stamp: Stamp,
): PublisherRows {
  const none = { agent_count: 0, property_count: 0, collection_count: 0, listed_agents: [] }
  const stamped = { changed_at: isoOf(stamp.now), seq: stamp.seq }
  const reason = revoked ? 'revoked' : 'validation_failed'
  return {
    publisher: { ...before.publisher, valid: false, ...none, ...stamped },
    properties: before.properties.map(row => staleRowOf(row, reason, stamp)),
    authorizations: [],
    collections: before.collections.map(row => removedRowOf(row, stamp)),
  }
}

function grantedIn(rows: readonly AuthorizationRow[]): ReadonlySet<string> {
  return new Set(rows.filter(row => row.in_force).map(row => row.agent_url))
}

/** Agents that are listed and granted nothing now: a listing lasts as long as a grant would. */
function listedAgentsOf(
  { standing, listed }: PublisherFacts,
  authorizations: readonly AuthorizationRow[],
  granted: ReadonlySet<string>,
): string[] {
  if (standing === 'ended') return []
  const all = [...listed, ...authorizations.map(row => row.agent_url)]
  return sorted(all.filter(agent => !granted.has(agent)))
}

function activeOf(rows: readonly { status: string }[]): number {
  return rows.filter(row => row.status === 'active').length
}

function staleRowOf(row: PropertyRow, reason: string, { now, seq }: Stamp): PropertyRow {
  if (row.status !== 'active') return row
  return { ...row, status: 'stale', stale_reason: reason, changed_at: isoOf(now), seq }
}

function propertyRowOf(
  domain: Domain,
  entry: PropertyEntry,
  rid: string,
  { standing }: PublisherFacts,
  old: PropertyRow | undefined,
  { now, seq }: Stamp,
): PropertyRow {
  const declared = sorted(entry.supported_channels)
  const implied = channelOfType[entry.property_type]
  const stands = standing === 'stands'
  return {
    property_rid: rid,
    publisher_domain: domain,
    property_id: entry.property_id ?? null,
    property_type: entry.property_type,
    name: entry.name,
    identifiers: [...entry.identifiers].sort(byTypeAndValue),
    tags: sorted(entry.tags),
    supported_channels: declared,
    channels: declared.length > 0 || implied === undefined ? declared : [implied],
    classification: 'property',
    source: 'authoritative',
    status: stands ? 'active' : 'stale',
    stale_reason: stands ? null : 'validation_failed',
    created_at: old?.created_at ?? isoOf(now),
    changed_at: isoOf(now),
    seq,
  }
}

function publisherRowOf(
  domain: Domain,
  facts: PublisherFacts,
  { properties, authorizations, collections }: Omit<PublisherRows, 'publisher'>,
  before: PublisherRows,
  { now, seq }: Stamp,
): PublisherRow {
  const { document } = facts
  const granted = grantedIn(authorizations)
  return {
    domain,
    valid: facts.standing === 'stands',
    discovery_method: facts.discovery_method,
    manager_domain: facts.manager_domain ?? null,
    resolved_location: facts.resolved_location,
    agent_count: granted.size,
    property_count: activeOf(properties),
    collection_count: activeOf(collections),
    placement_count: document.placements.length,
    format_count: document.formats.length,
    signal_count: document.signals.length,
    fields: fieldsOf(domain, facts),
    catalog:
      facts.discovery_method === 'direct'
        ? { formats: document.formats, placements: document.placements }
        : { formats: [], placements: [] },
    listed_agents: listedAgentsOf(facts, authorizations, granted),
    discovered_at: before.publisher?.discovered_at ?? isoOf(now),
    changed_at: isoOf(now),
    seq,
  }
}

/**
 * What a later change is told from. Of a file that many share, only what concerns this publisher
 * counts, wherever it stands: the others' changes are not its news.
 */
function fieldsOf(
  domain: Domain,
  {
    discovery_method,
    document,
    resolved_location,
    properties,
    grants,
    collections,
  }: PublisherFacts,
): Record<string, string> {
  if (discovery_method === 'direct') return document.fields
  const names = properties.map(factsKey)
  const terms = grants.map(({ entry, reaches }) => [
    termsOf(domain, entry),
    shortHashOfSet(reaches.map(index => names[index])),
  ])
  return {
    authoritative_location: shortHash(resolved_location),
    authorized_agents: shortHashOfSet(terms),
    properties: shortHashOfSet(properties),
    ...(collections.length === 0
      ? {}
      : { collections: shortHashOfSet(collections.map(collectionOf)) }),
  }
}
