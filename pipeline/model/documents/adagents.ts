import { z } from 'zod'
import {
  authorizationTypes,
  delegationTypes,
  revocationReasons,
  selectionTypes,
  signalValueTypes,
} from './vocabulary.ts'

const text = z.string()
const texts = z.array(text)
/** A part of a document that is passed on as its publisher wrote it. */
export const AsWritten = z.record(text, z.unknown())
export type AsWritten = z.infer<typeof AsWritten>

/** A date and time in UTC, `2026-01-31T09:00:00Z`, with milliseconds only where they count. */
const moment = z.iso.datetime()

export const Identifier = z.object({
  type: text.describe('Type of identifier, such as `domain`, `ios_bundle` or `android_package`'),
  value: text.min(1).describe('The identifier itself; domains are in lowercase'),
})
export type Identifier = z.infer<typeof Identifier>

/** A property that at least one valid identifier names; values are trimmed and keep their case. */
export const PropertyEntry = z.object({
  /** One of `propertyTypes`, another one as written, or `unknown` if the file has none. */
  property_type: text,
  name: text,
  identifiers: z.array(Identifier).min(1),
  property_id: text.exactOptional(),
  tags: texts,
  supported_channels: texts,
  /** Categories of its content, in the terms of `category_taxonomy`. */
  categories: texts.exactOptional(),
  category_taxonomy: text.exactOptional(),
  /** Absent: the property belongs to the domain that serves the file. */
  publisher_domain: text.exactOptional(),
})
export type PropertyEntry = z.infer<typeof PropertyEntry>

/** Properties of other publishers. The singular form of the file is a list of one here. */
export const Selector = z.object({
  publisher_domains: texts.min(1),
  selection_type: z.enum(selectionTypes),
  property_ids: texts.exactOptional(),
  property_tags: texts.exactOptional(),
})
export type Selector = z.infer<typeof Selector>

export const CollectionSelector = z.object({ publisher_domain: text, collection_ids: texts })
export type CollectionSelector = z.infer<typeof CollectionSelector>

/**
 * One entry of `authorized_agents`. Without `authorization_type`, or without the list that its type
 * calls for, it grants nothing. A restriction that is present but empty (`countries`, `collections`,
 * `placement_ids`, `placement_tags`, `signing_keys`) admits nothing: an unreadable restriction is
 * never the same as none.
 */
export const AgentEntry = z.object({
  /** Its position in the file, counting dropped entries. */
  entry: z.int(),
  /** The address as declared, which probes use. */
  url: text,
  /** `toAgentUrlKey(url)`, which everything else uses. */
  agent_url: text,
  authorized_for: text.exactOptional(),
  authorization_type: z.enum(authorizationTypes).exactOptional(),
  property_ids: texts.exactOptional(),
  property_tags: texts.exactOptional(),
  /** The list that `authorization_type: inline_properties` requires. */
  properties: z.array(PropertyEntry).exactOptional(),
  publisher_properties: z.array(Selector).exactOptional(),
  signal_ids: texts.exactOptional(),
  signal_tags: texts.exactOptional(),
  collections: z.array(CollectionSelector).exactOptional(),
  placement_ids: texts.exactOptional(),
  placement_tags: texts.exactOptional(),
  delegation_type: z.enum(delegationTypes).exactOptional(),
  exclusive: z.boolean().exactOptional(),
  countries: texts.exactOptional(),
  effective_from: moment.exactOptional(),
  effective_until: moment.exactOptional(),
  /** Public members only. */
  signing_keys: z.array(AsWritten).exactOptional(),
})
export type AgentEntry = z.infer<typeof AgentEntry>

export const CollectionEntry = z.object({
  collection_id: text,
  name: text,
  kind: text,
  status: text.exactOptional(),
  distribution: z.array(z.object({ publisher_domain: text, identifiers: z.array(Identifier) })),
  /** The other fields as written. */
  manifest: AsWritten,
})
export type CollectionEntry = z.infer<typeof CollectionEntry>

/** A placement is linked to properties by id or tag; with neither it is linked to none. */
export const PlacementEntry = z.object({
  placement_id: text,
  name: text,
  tags: texts,
  property_ids: texts.exactOptional(),
  property_tags: texts.exactOptional(),
  collection_ids: texts.exactOptional(),
  /** The other fields as written. */
  manifest: AsWritten,
})
export type PlacementEntry = z.infer<typeof PlacementEntry>

export const SignalEntry = z.object({
  id: text,
  name: text,
  value_type: z.enum(signalValueTypes).exactOptional(),
  tags: texts,
  /** The other fields as written. */
  manifest: AsWritten,
})
export type SignalEntry = z.infer<typeof SignalEntry>

export const TagMap = z.record(text, z.object({ name: text, description: text }))
export type TagMap = z.infer<typeof TagMap>

export const RevokedPublisherDomain = z.object({
  publisher_domain: text,
  /** 1970-01-01T00:00:00Z if the file gives no readable time: the revocation counts all the same. */
  revoked_at: moment,
  reason: z.enum(revocationReasons).exactOptional(),
})
export type RevokedPublisherDomain = z.infer<typeof RevokedPublisherDomain>

/**
 * A revocation that this source lists or has listed. `diff/carry-revocations.ts` carries it from one document
 * to the next; parsers never write it.
 */
export const RememberedRevocation = z.object({
  publisher_domain: text,
  /** The earliest time that was given. */
  revoked_at: moment,
  first_observed_at: moment,
})
export type RememberedRevocation = z.infer<typeof RememberedRevocation>

/** Lists of a file of which a part may be left out because it is too broad. */
export const leftOutLists = [
  'agents',
  'properties',
  'collections',
  'placements',
  'formats',
] as const
export const LeftOutList = z.enum(leftOutLists)
export type LeftOutList = z.infer<typeof LeftOutList>

export const AdagentsInline = z.object({
  variant: z.literal('inline'),
  agents: z.array(AgentEntry),
  properties: z.array(PropertyEntry),
  collections: z.array(CollectionEntry),
  placements: z.array(PlacementEntry),
  formats: z.array(AsWritten),
  signals: z.array(SignalEntry),
  tags: TagMap.exactOptional(),
  placement_tags: TagMap.exactOptional(),
  signal_tags: TagMap.exactOptional(),
  revoked_publisher_domains: z.array(RevokedPublisherDomain),
  remembered_revocations: z.array(RememberedRevocation).exactOptional(),
  superseded_by: text.exactOptional(),
  catalog_etag: text.exactOptional(),
  catalog_role: text.exactOptional(),
  last_updated: moment.exactOptional(),
  /**
   * Top-level key → short hash of its value, from which events tell which fields changed. `$schema` and
   * `last_updated` are left out; of `contact` only this hash is stored.
   */
  fields: z.record(text, text),
  /** Lists that were not read as a whole: what they do not have is not known. */
  left_out: z.array(LeftOutList).exactOptional(),
  /** Entries that were left out. `diff/carry-listed.ts` takes them off; no stored document has them. */
  left_out_agents: z.array(AgentEntry).exactOptional(),
})
export type AdagentsInline = z.infer<typeof AdagentsInline>

export const catalogLists = [
  'properties',
  'collections',
  'placements',
  'formats',
  'signals',
] as const

/**
 * Tells whether a file has any usable content: an agent with what it is authorized for, or any item of a
 * catalog. A file without is invalid; its revocations and omissions count all the same.
 */
export function isUsable(document: AdagentsInline): boolean {
  return (
    document.agents.some(({ authorization_type }) => authorization_type !== undefined) ||
    catalogLists.some(name => document[name].length > 0)
  )
}

/**
 * State of a file before it became this pointer: its earlier targets, the latest first, and the document
 * that preceded them all. It stays in effect until the new target has been read; if that is a pointer too,
 * for a limited time after `replaced_at`.
 */
export const BeforePointer = z.object({
  authoritative_locations: texts,
  document: AdagentsInline.exactOptional(),
  replaced_at: moment.exactOptional(),
})
export type BeforePointer = z.infer<typeof BeforePointer>

/** A file that only names the location of the real one. */
export const AdagentsPointer = z.object({
  variant: z.literal('pointer'),
  authoritative_location: text,
  remembered_revocations: z.array(RememberedRevocation).exactOptional(),
  last_updated: moment.exactOptional(),
  before: BeforePointer.exactOptional(),
})
export type AdagentsPointer = z.infer<typeof AdagentsPointer>

export const AdagentsDocument = z.discriminatedUnion('variant', [AdagentsPointer, AdagentsInline])
export type AdagentsDocument = z.infer<typeof AdagentsDocument>
