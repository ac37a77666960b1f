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
    'Class of the record: `property` if it is inventory; otherwise what kind of host it is, such as one of an ad system or a network',
  )
export const CatalogSource = z
  .enum(catalogSources)
  .describe(
    'Source: the publisher’s file (`authoritative`; lists say `adagents_json`), a third party (`enriched`), or a member (`contributed`; lists say `community`)',
  )
const CatalogTotal = count.describe('Number of matches across all pages')

export const CatalogEntry = z
  .looseObject({
    property_rid: PropertyRid,
    property_id: text
      .nullable()
      .describe('ID that the publisher’s file gives the property; null if it gives none'),
    classification: Classification,
    source: CatalogSource,
    status: z
      .enum(propertyStatuses)
      .describe(
        'Status of the property: `stale` if the publisher’s file no longer lists the property or can no longer be used, `removed` if it was merged into another',
      ),
    identifiers: z.array(Identifier).describe('Identifiers of the property, such as its domain'),
    publisher_domain: PublisherDomain,
    property_type: PropertyType,
    name: PropertyName,
    tags: PropertyTags,
    supported_channels: z
      .array(text)
      .describe(
        'Channels that the publisher’s file names for the property; empty if it names none',
      ),
    inline_only: z
      .literal(true)
      .optional()
      .describe(
        'True if only an entry of the file lists the property, so that no selector reaches it',
      ),
    canonical_rid: PropertyRid.optional().describe(
      'ID of the property that this one was merged into; only for a removed property',
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
  .meta({ id: 'Catalog', description: 'A page of the property catalog' })

export const CatalogChange = CatalogEntry.extend({
  adagents_url: text
    .nullable()
    .describe('URL of the publisher’s adagents.json; null if no file lists the property'),
  created_by: text.nullable().describe('Origin of the record: a crawl or people; null if unknown'),
  source_updated_at: moment
    .nullable()
    .describe('Time from which the source has stated the property; null if unknown'),
}).meta({ id: 'CatalogChange', description: 'A property that changed' })
export type CatalogChange = z.infer<typeof CatalogChange>

export const CatalogSync = z
  .looseObject({
    entries: z.array(CatalogChange).describe('Properties on this page, by their last change'),
    server_timestamp: moment.describe('Pass the first page’s value as `since` next time'),
    ...pageEnd,
  })
  .meta({ id: 'CatalogSync', description: 'A page of properties that changed' })

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
      .describe(
        'Status of the collection: `removed` if no file lists it anymore, or if it was merged into another',
      ),
    identifiers: z
      .array(CollectionIdentifier)
      .describe('Identifiers of the collection on platforms'),
    collection: z.looseObject({}).describe('The collection, as its publisher describes it'),
    canonical_rid: z
      .uuid()
      .optional()
      .describe('ID of the collection that this one was merged into; absent if it was not merged'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CatalogCollection', description: 'A collection of the catalog' })
export type CollectionEntry = z.infer<typeof CollectionEntry>

export const CollectionCatalog = z
  .looseObject({
    entries: z
      .array(CollectionEntry)
      .describe('Collections on this page, in the order in which they first appeared'),
    total: CatalogTotal,
    next_offset: count
      .nullable()
      .describe('Value of `offset` for the next page; null on the last page'),
    ...pageEnd,
  })
  .meta({ id: 'CollectionCatalog', description: 'A page of the collection catalog' })

export const resolvedStatuses = ['existing', 'created', 'excluded'] as const

export const ResolvedIdentifier = z
  .looseObject({
    identifier: Identifier.describe('Requested identifier, normalized'),
    property_rid: z
      .uuid()
      .nullable()
      .describe(
        'ID of the property that the identifier belongs to; null if it is unknown or excluded',
      ),
    classification: z
      .enum([...classifications, 'unknown'])
      .describe('Class of the property; `unknown` if there is none'),
    status: z
      .enum(resolvedStatuses)
      .describe(
        'Result for the identifier: `created` if it was added now, `excluded` if it belongs to no property',
      ),
    source: z
      .enum(catalogSources)
      .nullable()
      .describe('Source of the link between identifier and property; null if there is none'),
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
        total: count.describe('Number of requested identifiers'),
        resolved: count.describe('Number of identifiers that belong to a property now'),
        created: count.describe('Number of identifiers that were added now'),
        excluded: count.describe('Number of excluded identifiers; only with `mode=resolve`'),
        not_found: count.describe('Number of unknown identifiers; only with `mode=lookup`'),
      })
      .describe('Number of results by status'),
    server_timestamp: moment.describe('Time of the response'),
  })
  .meta({ id: 'ResolvedIdentifiers', description: 'The properties that identifiers belong to' })

export const DisputeFiled = z
  .looseObject({
    dispute_id: z.uuid().describe('ID for querying the state of the dispute'),
    action_taken: z
      .enum(['link_suspended', 'queued_for_review', 'escalated'])
      .describe(
        'What happens now: `link_suspended` if the identifier is suspended until the decision',
      ),
    reason: text.describe('Why the dispute was filed, in a sentence'),
  })
  .meta({ id: 'DisputeFiled', description: 'A dispute that was accepted' })

export const CatalogDispute = z
  .looseObject({
    id: z.uuid().describe('ID of the dispute, issued when it was filed'),
    dispute_type: z.enum(disputeTypes).describe('Kind of fact that the dispute says is wrong'),
    subject_type: text.describe(
      'Type of the disputed record, as named by the author of the dispute',
    ),
    subject_value: text.describe(
      'Disputed record, such as a rid, or an identifier as `type:value`',
    ),
    claim: text.describe('Text of the dispute, without email addresses'),
    evidence: text.optional().describe('Evidence of the author; absent if none was given'),
    status: z
      .enum(['open', 'investigating', 'resolved', 'rejected', 'escalated'])
      .describe(
        'Status of the dispute: `open` until a moderator decides, `resolved` if it was upheld',
      ),
    created_at: moment.describe('Time at which the dispute was filed'),
    resolved_at: moment.optional().describe('Time of the decision; absent until then'),
  })
  .meta({ id: 'CatalogDispute', description: 'A dispute about a fact in the catalog' })
