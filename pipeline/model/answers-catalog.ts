import { z } from 'zod'
import { disputeTypes } from './contribution.ts'
import { Identifier } from './documents.ts'

const text = z.string()
const texts = z.array(text)
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

export const CatalogEntry = z
  .looseObject({
    property_rid: z.uuid(),
    property_id: text.nullable(),
    classification: z.enum(classifications),
    source: z.enum(catalogSources),
    status: z.enum(propertyStatuses),
    identifiers: z.array(Identifier),
    publisher_domain: text,
    property_type: text,
    name: text,
    tags: texts,
    supported_channels: texts,
    /** The record it was merged into, of one that was removed. */
    canonical_rid: z.uuid().optional(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'CatalogEntry', description: 'A property of the catalog' })
export type CatalogEntry = z.infer<typeof CatalogEntry>

export const Catalog = z
  .looseObject({ entries: z.array(CatalogEntry), total: count, next_cursor: text.nullable() })
  .meta({ id: 'Catalog', description: 'Properties by rid; `total` counts all that match' })

export const CatalogChange = CatalogEntry.extend({
  adagents_url: text.nullable(),
  created_by: text.nullable(),
  source_updated_at: moment.nullable(),
}).meta({ id: 'CatalogChange', description: 'A property that changed' })
export type CatalogChange = z.infer<typeof CatalogChange>

export const CatalogSync = z
  .looseObject({
    entries: z.array(CatalogChange),
    /** What to pass as `since` the next time. */
    server_timestamp: moment,
    next_cursor: text.nullable(),
  })
  .meta({ id: 'CatalogSync', description: 'Properties by their last change' })

export const CollectionEntry = z
  .looseObject({
    collection_rid: z.uuid(),
    publisher_domain: text,
    collection_id: text,
    name: text,
    kind: text,
    source: z.enum(catalogSources),
    status: z.enum(collectionStatuses),
    identifiers: z.array(z.looseObject({ publisher_domain: text, type: text, value: text })),
    collection: z.looseObject({}),
    canonical_rid: z.uuid().optional(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'CatalogCollection', description: 'A collection of the catalog' })
export type CollectionEntry = z.infer<typeof CollectionEntry>

export const CollectionCatalog = z
  .looseObject({ entries: z.array(CollectionEntry), total: count, next_offset: count.nullable() })
  .meta({ id: 'CollectionCatalog', description: 'Collections by rid' })

export const resolvedStatuses = ['existing', 'created', 'excluded'] as const

export const ResolvedIdentifier = z
  .looseObject({
    identifier: z.looseObject({ type: text, value: text }),
    property_rid: z.uuid().nullable(),
    classification: z.enum([...classifications, 'unknown']),
    status: z.enum(resolvedStatuses),
    source: z.enum(catalogSources).nullable(),
  })
  .meta({ id: 'ResolvedIdentifier', description: 'The property an identifier belongs to' })
export type ResolvedIdentifier = z.infer<typeof ResolvedIdentifier>

export const ResolvedIdentifiers = z
  .looseObject({
    resolved: z.array(ResolvedIdentifier),
    summary: z.looseObject({
      total: count,
      resolved: count,
      created: count,
      excluded: count,
      not_found: count,
    }),
    server_timestamp: moment,
  })
  .meta({ id: 'ResolvedIdentifiers', description: 'One answer an identifier, in their order' })

export const DisputeFiled = z
  .looseObject({
    dispute_id: z.uuid(),
    action_taken: z.enum(['link_suspended', 'queued_for_review', 'escalated']),
    reason: text,
  })
  .meta({ id: 'DisputeFiled', description: 'A dispute was taken in' })

export const CatalogDispute = z
  .looseObject({
    id: z.uuid(),
    dispute_type: z.enum(disputeTypes),
    subject_type: text,
    subject_value: text,
    claim: text,
    evidence: text.optional(),
    status: z.enum(['open', 'investigating', 'resolved', 'rejected', 'escalated']),
    created_at: moment,
    resolved_at: moment.optional(),
  })
  .meta({ id: 'CatalogDispute', description: 'What somebody says is wrong in the catalog' })
