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
export const collectionStatuses = ['active', 'removed'] as const

export const Classification = z
  .enum(classifications)
  .describe('What it is: inventory (`property`), or a host of advertising systems, masks, networks')
export const CatalogSource = z
  .enum(catalogSources)
  .describe('Who says so: the publisher’s file, a third party that was asked, or people')
const CatalogTotal = count.describe('How many match on all pages')

export const CatalogEntry = z
  .looseObject({
    property_rid: PropertyRid,
    property_id: text
      .nullable()
      .describe('Id that the publisher’s file gives it; null where it gives none'),
    classification: Classification,
    source: CatalogSource,
    status: z
      .enum(propertyStatuses)
      .describe('`stale`: its file has not confirmed it lately; `removed`: merged into another'),
    identifiers: z.array(Identifier).describe('By what the property is known, such as its domain'),
    publisher_domain: PublisherDomain,
    property_type: PropertyType,
    name: PropertyName,
    tags: PropertyTags,
    supported_channels: z
      .array(text)
      .describe('Channels that the publisher’s file names for it; empty where it names none'),
    inline_only: z
      .literal(true)
      .optional()
      .describe('True where only an entry of the file lists it, so that no selector reaches it'),
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
    entries: z.array(CatalogEntry).describe('Properties of this page, by rid'),
    total: CatalogTotal,
    ...pageEnd,
  })
  .meta({ id: 'Catalog', description: 'A page of the catalog of properties' })

export const CatalogChange = CatalogEntry.extend({
  adagents_url: text
    .nullable()
    .describe('Address of the publisher’s adagents.json; null where no file lists the property'),
  created_by: text.nullable().describe('Who made it: a crawl or people; null where unknown'),
  source_updated_at: moment
    .nullable()
    .describe('Moment since which its source says so; null where unknown'),
}).meta({ id: 'CatalogChange', description: 'A property that changed' })
export type CatalogChange = z.infer<typeof CatalogChange>

export const CatalogSync = z
  .looseObject({
    entries: z.array(CatalogChange).describe('Properties of this page, by their last change'),
    server_timestamp: moment.describe('Value of the first page to pass as `since` the next time'),
    ...pageEnd,
  })
  .meta({ id: 'CatalogSync', description: 'A page of the properties that changed' })

export const CollectionIdentifier = z.object({
  publisher_domain: PublisherDomain.describe('Domain of the platform that knows it by this'),
  ...Identifier.shape,
})

export const CollectionEntry = z
  .looseObject({
    collection_rid: z.uuid().describe('Permanent id of the collection in this registry'),
    publisher_domain: PublisherDomain,
    collection_id: text.describe('Id that the publisher’s file gives the collection'),
    name: text.describe('Name of the collection, for people'),
    kind: text.describe('Kind of collection, such as `series`'),
    source: CatalogSource,
    status: z
      .enum(collectionStatuses)
      .describe('`removed` where no file lists it any more, or it was merged into another'),
    identifiers: z.array(CollectionIdentifier).describe('By what platforms know the collection'),
    collection: z.looseObject({}).describe('The collection as its publisher wrote it'),
    canonical_rid: z
      .uuid()
      .optional()
      .describe('Collection that it was merged into; absent where it was not'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'CatalogCollection', description: 'A collection of the catalog' })
export type CollectionEntry = z.infer<typeof CollectionEntry>

export const CollectionCatalog = z
  .looseObject({
    entries: z.array(CollectionEntry).describe('Collections of this page'),
    total: CatalogTotal,
    next_offset: count
      .nullable()
      .describe('Pass it as `offset` to get the next page; null on the last one'),
    ...pageEnd,
  })
  .meta({ id: 'CollectionCatalog', description: 'A page of the catalog of collections' })

export const resolvedStatuses = ['existing', 'created', 'excluded'] as const

export const ResolvedIdentifier = z
  .looseObject({
    identifier: Identifier.describe('The identifier that was asked about, in its normal form'),
    property_rid: z
      .uuid()
      .nullable()
      .describe('Property that it belongs to; null where it is unknown or excluded'),
    classification: z
      .enum([...classifications, 'unknown'])
      .describe('What the property is; `unknown` where there is none'),
    status: z
      .enum(resolvedStatuses)
      .describe('`created` where it was taken in now; `excluded` where it belongs to nothing'),
    source: z
      .enum(catalogSources)
      .nullable()
      .describe('Who says that it belongs there; null where nobody does'),
  })
  .meta({ id: 'ResolvedIdentifier', description: 'The property that an identifier belongs to' })
export type ResolvedIdentifier = z.infer<typeof ResolvedIdentifier>

export const ResolvedIdentifiers = z
  .looseObject({
    resolved: z.array(ResolvedIdentifier).describe('One answer an identifier, in their order'),
    summary: z
      .looseObject({
        total: count.describe('Identifiers that were asked about'),
        resolved: count.describe('Identifiers that belong to a property now'),
        created: count.describe('How many of these were taken in now'),
        excluded: count.describe('Identifiers that were refused; with `mode=resolve` only'),
        not_found: count.describe('Identifiers that are unknown; with `mode=lookup` only'),
      })
      .describe('The answers, counted'),
    server_timestamp: moment.describe('Moment at which the answer was made'),
  })
  .meta({ id: 'ResolvedIdentifiers', description: 'The properties that identifiers belong to' })

export const DisputeFiled = z
  .looseObject({
    dispute_id: z.uuid().describe('Id by which to ask how far it is'),
    action_taken: z
      .enum(['link_suspended', 'queued_for_review', 'escalated'])
      .describe('`link_suspended` where the identifier answers for nothing until a person decided'),
    reason: text.describe('Why that was done, in a sentence'),
  })
  .meta({ id: 'DisputeFiled', description: 'A dispute was taken in' })

export const CatalogDispute = z
  .looseObject({
    id: z.uuid().describe('Id that was given out when it was filed'),
    dispute_type: z.enum(disputeTypes).describe('What is said to be wrong'),
    subject_type: text.describe('What it is about, in the words of who filed it'),
    subject_value: text.describe('Which one, such as a rid or `type:value` of an identifier'),
    claim: text.describe('What is said, without addresses of people'),
    evidence: text.optional().describe('What is said to show it; absent where nothing was given'),
    status: z
      .enum(['open', 'investigating', 'resolved', 'rejected', 'escalated'])
      .describe('`open` until a person decided; `resolved` where the claim was followed'),
    created_at: moment.describe('Moment at which it was filed'),
    resolved_at: moment.optional().describe('Moment of the decision; absent before it'),
  })
  .meta({ id: 'CatalogDispute', description: 'What somebody says is wrong in the catalog' })
