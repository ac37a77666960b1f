import { toIso } from '../core/clock.ts'
import { getAt } from '../core/present.ts'
import type { Identifier, PropertyEntry } from '../model/documents/index.ts'
import type { PropertyRow } from '../model/rows.ts'
import type { HostedProperty, SavedProperty } from '../model/save.ts'
import { toIdentifierKey } from '../resolve/identifiers.ts'
import { fillIdentifiers, isKnownByDomain } from '../resolve/own-domain.ts'
import { noMerges, uniteIdentifiers } from './merges.ts'
import { assignRids } from './property-identity.ts'
import { chooseChannels, toStaleRow } from './property-rows.ts'
import type { PublisherRows } from './publisher-rows.ts'
import { compareTypeAndValue, sortDistinct } from './sets.ts'
import type { RowStamp } from './stamp.ts'

/** Properties of a publisher before a save. */
interface KnownProperties {
  domain: string
  /** Properties of its entry. */
  before: readonly HostedProperty[]
  /** Its records, also those outside the entry. */
  records: readonly PropertyRow[]
}

/**
 * Builds the properties of an entry after a save. A property keeps its rid as if a file were read again,
 * also that of a record of the domain outside the entry. Without identifiers it gets those of the domain;
 * what only the domain tells apart is matched by type, and first by name, so that one that is renamed keeps
 * its rid. Duplicates are dropped.
 */
export function buildHostedProperties(
  saved: readonly SavedProperty[],
  { domain, before, records }: KnownProperties,
  mint: () => string,
): HostedProperty[] {
  const declared = saved.map(
    ({ type, id, ...rest }): DeclaredProperty =>
      fillIdentifiers(
        { property_type: type, ...rest, ...(id !== undefined && { property_id: id }) },
        domain,
      ),
  )
  const own = new Set(before.map(({ property_rid }) => property_rid))
  const others = records.filter(row => row.status !== 'removed' && !own.has(row.property_rid))
  const rids = assignRids(
    [...before.map(property => toHintRow(property, domain)), ...others],
    declared.map(property => toFacts(property, domain)),
    mint,
  )
  const hosted = new Map(
    declared.map((property, i) => {
      const property_rid = getAt(rids, i)
      return [property_rid, { property_rid, ...property }]
    }),
  )
  return [...hosted.values()]
}

/**
 * Builds rows against which the first file of a publisher is matched, so that its properties keep the rids
 * of saved ones. One that only the domain tells apart is matched by name and type, if nothing else of the
 * file matches.
 */
export function buildIdentityHints(
  domain: string,
  hosted: readonly HostedProperty[],
  listed: readonly PropertyEntry[],
): PropertyRow[] {
  const keys = new Set(hosted.flatMap(property => property.identifiers.map(toIdentifierKey)))
  const others = listed.filter(
    ({ identifiers }) => !identifiers.some(identifier => keys.has(toIdentifierKey(identifier))),
  )
  const byName = new Map(others.map(entry => [toNameKey(entry), entry]))
  return hosted.map(property => {
    const named = isKnownByDomain(property, domain) ? byName.get(toNameKey(property)) : undefined
    return toHintRow(
      named === undefined ? property : { ...named, property_rid: property.property_rid },
      domain,
    )
  })
}

/**
 * Builds the records of a domain without a valid file: its saved properties, as contributed. One that was
 * removed from the entry is stale; disputed and merged records stay as they are.
 */
export function buildSavedRows(
  domain: string,
  declared: readonly HostedProperty[],
  { properties: before, merges = noMerges }: Pick<PublisherRows, 'properties' | 'merges'>,
  stamp: Pick<RowStamp, 'now' | 'seq'>,
  excluded: ReadonlySet<string> = new Set(),
): PropertyRow[] {
  const old = new Map(before.map(row => [row.property_rid, row]))
  const listed = new Map(
    declared.map(property => {
      const was = old.get(property.property_rid)
      const isMerged = merges.mergedRids.has(property.property_rid)
      return [property.property_rid, buildSavedRow(domain, property, was, isMerged, stamp)]
    }),
  )
  const others = before
    .filter(row => !listed.has(row.property_rid))
    .map(row => (excluded.has(row.property_rid) ? toStaleRow(row, 'not_listed', stamp) : row))
  return [...listed.values(), ...others]
}

/**
 * Tells whether a publisher's saved properties are shown: it has no valid file, and no grant of an
 * invalid one is left, since saved properties are granted to nobody.
 */
export function mayShowSavedProperties({ publisher, authorizations }: PublisherRows): boolean {
  return publisher?.valid !== true && authorizations.length === 0
}

function buildSavedRow(
  domain: string,
  { property_rid, property_id, property_type, name, identifiers, tags }: HostedProperty,
  old: PropertyRow | undefined,
  isMerged: boolean,
  { now, seq }: Pick<RowStamp, 'now' | 'seq'>,
): PropertyRow {
  if (old?.status === 'removed') return old
  const isDisputed = old?.stale_reason === 'disputed'
  return {
    property_rid,
    publisher_domain: domain,
    property_id: property_id ?? null,
    property_type,
    name,
    identifiers: uniteIdentifiers(isMerged && old ? old.identifiers : [], identifiers).sort(
      compareTypeAndValue,
    ),
    tags: sortDistinct(tags),
    supported_channels: [],
    channels: chooseChannels(property_type, []),
    categories: null,
    category_taxonomy: null,
    classification: 'property',
    source: 'contributed',
    inline_only: null,
    status: isDisputed ? 'stale' : 'active',
    stale_reason: isDisputed ? 'disputed' : null,
    created_at: old?.created_at ?? toIso(now),
    changed_at: toIso(now),
    seq,
  }
}

/** Actor of the events of saved properties. */
export const SAVE_ACTOR = 'registry:save'

function toNameKey({ name, property_type }: Pick<PropertyEntry, 'name' | 'property_type'>): string {
  return `${property_type}\n${name}`
}

type DeclaredProperty = Omit<HostedProperty, 'property_rid'>

/**
 * Converts a property to the facts by which it is recognised. The domain alone stands for a website; a
 * podcast of the same domain is another property, and of several with one type the name tells them apart. No
 * file has such an id or identifier.
 */
function toFacts(property: DeclaredProperty, domain: string): PropertyEntry {
  const { property_type, name } = property
  const facts = { supported_channels: [], ...property }
  if (property.property_id !== undefined || !isKnownByDomain(property, domain)) return facts
  const type = { type: 'property_type', value: property_type } as unknown as Identifier
  const identifiers = property_type === 'website' ? property.identifiers : [type]
  return { ...facts, property_id: `\n${name}`, identifiers }
}

function toHintRow(property: HostedProperty, domain: string): PropertyRow {
  const facts = toFacts(property, domain)
  return {
    ...facts,
    property_rid: property.property_rid,
    property_id: facts.property_id ?? null,
    status: 'active',
  } as unknown as PropertyRow
}
