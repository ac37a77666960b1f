import { z } from 'zod'
import { disputeTypes } from '../contribution.ts'
import { Identifier } from '../documents/index.ts'
import {
  CreatedAt,
  PropertyName,
  PropertyRid,
  PropertyTags,
  PropertyType,
  PublisherDomain,
  pageEnd,
  UpdatedAt,
} from '../shared-fields.ts'

const text = z.string()
const count = z.int().nonnegative()
const moment = z.iso.datetime()

export const classifications = [
  'property',
  'ad_infra',
  'publisher_mask',
  'network',
  'unclassified',
] as const
export const catalogSources = ['authoritative', 'enriched', 'contributed'] as const
export const propertyStatuses = ['active', 'stale', 'removed'] as const
/** Reasons for which a property is stale. */
export const staleReasons = ['not_listed', 'revoked', 'validation_failed', 'disputed'] as const
export const collectionStatuses = ['active', 'removed'] as const

export const Classification = z
  .enum(classifications)
  .describe(
    'What it is: inventory (`property`), or a host of ad systems, publisher masks or networks',
  )
export const CatalogSource = z
  .enum(catalogSources)
  .describe('Source: the publisher’s file, a third party, or people')
const CatalogTotal = count.describe('Number of matches on all pages')

export const CatalogEntry = z
  .looseObject({
    property_rid: PropertyRid,
    property_id: text
      .nullable()
      .describe('ID that the publisher’s file gives it; null if it gives none'),
    classification: Classification,
    source: CatalogSource,
    status: z
      .enum(propertyStatuses)
      .describe('`stale`: its file has not confirmed it recently; `removed`: merged into another'),
    identifiers: z.array(Identifier).describe('Identifiers of the property, such as its domain'),
    publisher_domain: PublisherDomain,
    property_type: PropertyType,
    name: PropertyName,
    tags: PropertyTags,
    supported_channels: z
      .array(text)
      .describe('Channels that the publisher’s file names for it; empty if it names none'),
    inline_only: z
      .literal(true)
      .optional()
      .describe('True if only an entry of the file lists it, so that no selector reaches it'),
    canonical_rid: PropertyRid.optional().describe(
      'Property that it was merged into; only for a removed one',
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CatalogEntry', description: 'A property of the catalog' })
export type CatalogEntry = z.infer<typeof CatalogEntry>

export const Catalog = z
  .looseObject({
    entries: z.array(CatalogEntry).describe('Properties on this page, by rid'),
    total: CatalogTotal,
    ...pageEnd,
  })
  .meta({ id: 'Catalog', description: 'A page of the catalog of properties' })

export const CatalogChange = CatalogEntry.extend({
  adagents_url: text
    .nullable()
    .describe('URL of the publisher’s adagents.json; null if no file lists the property'),
  created_by: text.nullable().describe('Origin: a crawl or people; null if unknown'),
  source_updated_at: moment
    .nullable()
    .describe('Time since which its source has stated it; null if unknown'),
}).meta({ id: 'CatalogChange', description: 'A property that changed' })
export type CatalogChange = z.infer<typeof CatalogChange>

export const CatalogSync = z
  .looseObject({
    entries: z.array(CatalogChange).describe('Properties on this page, by their last change'),
    server_timestamp: moment.describe('Pass the value of the first page as `since` next time'),
    ...pageEnd,
  })
  .meta({ id: 'CatalogSync', description: 'A page of the properties that changed' })

export const CollectionIdentifier = z.object({
  publisher_domain: PublisherDomain.describe('Domain of the platform that uses this identifier'),
  ...Identifier.shape,
})

export const CollectionEntry = z
  .looseObject({
    collection_rid: z.uuid().describe('Permanent ID of the collection in this registry'),
    publisher_domain: PublisherDomain,
    collection_id: text.describe('ID that the publisher’s file gives the collection'),
    name: text.describe('Display name of the collection'),
    kind: text.describe('Kind of collection, such as `series`'),
    source: CatalogSource,
    status: z
      .enum(collectionStatuses)
      .describe('`removed` if no file lists it anymore, or it was merged into another'),
    identifiers: z
      .array(CollectionIdentifier)
      .describe('Identifiers of the collection on platforms'),
    collection: z.looseObject({}).describe('The collection, as its publisher describes it'),
    canonical_rid: z
      .uuid()
      .optional()
      .describe('Collection that it was merged into; absent if it was not'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CatalogCollection', description: 'A collection of the catalog' })
export type CollectionEntry = z.infer<typeof CollectionEntry>

export const CollectionCatalog = z
  .looseObject({
    entries: z.array(CollectionEntry).describe('Collections on this page'),
    total: CatalogTotal,
    next_offset: count
      .nullable()
      .describe('Pass it as `offset` to get the next page; null on the last page'),
    ...pageEnd,
  })
  .meta({ id: 'CollectionCatalog', description: 'A page of the catalog of collections' })

export const resolvedStatuses = ['existing', 'created', 'excluded'] as const

export const ResolvedIdentifier = z
  .looseObject({
    identifier: Identifier.describe('Requested identifier, in its normal form'),
    property_rid: z
      .uuid()
      .nullable()
      .describe('Property that it belongs to; null if it is unknown or excluded'),
    classification: z
      .enum([...classifications, 'unknown'])
      .describe('What the property is; `unknown` if there is none'),
    status: z
      .enum(resolvedStatuses)
      .describe('`created` if it was added now; `excluded` if it belongs to no property'),
    source: z.enum(catalogSources).nullable().describe('Source of the link; null if there is none'),
    error: text.optional().describe('Why no property can have this identifier; absent otherwise'),
  })
  .meta({ id: 'ResolvedIdentifier', description: 'The property that an identifier belongs to' })
export type ResolvedIdentifier = z.infer<typeof ResolvedIdentifier>

export const ResolvedIdentifiers = z
  .looseObject({
    resolved: z
      .array(ResolvedIdentifier)
      .describe('A result for each identifier, in the same order'),
    summary: z
      .looseObject({
        total: count.describe('Requested identifiers'),
        resolved: count.describe('Identifiers that belong to a property now'),
        created: count.describe('How many of these were added now'),
        excluded: count.describe('Identifiers that were refused; with `mode=resolve` only'),
        not_found: count.describe('Identifiers that are unknown; with `mode=lookup` only'),
      })
      .describe('Number of results by status'),
    server_timestamp: moment.describe('Time of the response'),
  })
  .meta({ id: 'ResolvedIdentifiers', description: 'The properties that identifiers belong to' })

export const DisputeFiled = z
  .looseObject({
    dispute_id: z.uuid().describe('ID for querying its state'),
    action_taken: z
      .enum(['link_suspended', 'queued_for_review', 'escalated'])
      .describe('`link_suspended` if the identifier is suspended until the decision'),
    reason: text.describe('Why the dispute was filed, in a sentence'),
  })
  .meta({ id: 'DisputeFiled', description: 'A dispute was accepted' })

export const CatalogDispute = z
  .looseObject({
    id: z.uuid().describe('ID that was issued when it was filed'),
    dispute_type: z.enum(disputeTypes).describe('What is wrong according to the dispute'),
    subject_type: text.describe('Type of record, as named by its author'),
    subject_value: text.describe('The record, such as a rid or `type:value` of an identifier'),
    claim: text.describe('Text of the dispute, without email addresses'),
    evidence: text.optional().describe('Evidence; absent if none was given'),
    status: z
      .enum(['open', 'investigating', 'resolved', 'rejected', 'escalated'])
      .describe('`open` until a moderator decides; `resolved` if it was upheld'),
    created_at: moment.describe('Time at which it was filed'),
    resolved_at: moment.optional().describe('Time of the decision; absent until then'),
  })
  .meta({ id: 'CatalogDispute', description: 'A dispute about a fact in the catalog' })
