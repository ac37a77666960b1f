import { z } from 'zod'
import { tierNames } from '../core/membership.ts'
import { keyPermissions } from '../core/standing.ts'
import { Identifier } from './documents.ts'
import { BrandCompany, BrandProfile, enrichers } from './enrichment.ts'
import { FeedEvent } from './event.ts'
import { LiveBrandFailure } from './reported-fault.ts'

const text = z.string()
const texts = z.array(text)
const freely = z.record(text, z.unknown())

/** What stands behind an answer: how the file it was read from fared with the crawler. */
export const FreshnessBlock = z
  .looseObject({
    state: z.enum(['never_crawled', 'current', 'stale', 'failing', 'absent', 'invalid']),
    outcome: text.optional(),
    checked_at: text.optional(),
    succeeded_at: text.optional(),
    http_status: z.int().optional(),
  })
  .meta({
    id: 'Freshness',
    description: 'Whether the file behind the answer was read, when, and what came of the last try',
  })
export type FreshnessBlock = z.infer<typeof FreshnessBlock>

export const BrandResolution = z
  .looseObject({
    canonical_id: text,
    canonical_domain: text,
    brand_name: text,
    source: z.enum(['brand_json', 'enriched', 'community']),
    keller_type: text.optional(),
    house_domain: text.optional(),
    house_name: text.optional(),
    claimed_house_domain: text.optional(),
    parent_brand: text.optional(),
    brand_id: text.optional(),
    brand_agent_url: text.optional(),
    relationship_trust: text.optional(),
    relationship_declared_at: text.optional(),
    names: z.array(z.record(text, text)).optional(),
    brand_manifest: freely.optional(),
    live_brand_json: LiveBrandFailure.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'BrandResolution', description: 'Which brand a domain is' })
export type BrandResolution = z.infer<typeof BrandResolution>

export const EnrichedBrand = z
  .looseObject({
    success: z.literal(true),
    domain: text,
    cached: z.boolean(),
    source_type: z.enum(['brand_json', 'enriched', 'community']),
    provider: z.enum(enrichers).optional(),
    manifest: BrandProfile,
    company: BrandCompany.optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'EnrichedBrand', description: 'What is known of a brand’s looks and words' })
export type EnrichedBrand = z.infer<typeof EnrichedBrand>

export const ResolvedPropertyItem = z
  .looseObject({
    id: text.optional(),
    property_rid: text,
    type: text,
    property_type: text,
    name: text,
    identifiers: z.array(Identifier),
    tags: texts,
    status: text,
  })
  .meta({ id: 'PropertyItem' })

export const PropertyResolution = z
  .looseObject({
    publisher_domain: text,
    source: text,
    verified: z.boolean(),
    authorized_agents: z.array(z.looseObject({ url: text, authorized_for: text.optional() })),
    properties: z.array(ResolvedPropertyItem),
    authorized_agents_total: z.int().optional(),
    authorized_agents_truncated: z.boolean().optional(),
    properties_total: z.int().optional(),
    properties_truncated: z.boolean().optional(),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'PropertyResolution', description: 'What a publisher owns and whom it authorizes' })
export type PropertyResolution = z.infer<typeof PropertyResolution>

export const PublisherLookup = z
  .looseObject({
    domain: text,
    member: z.looseObject({ slug: text, display_name: text }).nullable(),
    adagents_valid: z.boolean().nullable(),
    discovery_method: text.nullable(),
    manager_domain: text.nullable(),
    hosting: z.looseObject({ mode: text, expected_url: text }),
    files: z.looseObject({
      adagents_json: z.looseObject({ status: text, expected_url: text }),
      brand_json: z.looseObject({ status: text, name: text.optional() }),
    }),
    network: z.looseObject({ publisher_count: z.int(), valid_count: z.int() }).optional(),
    properties: z.array(
      ResolvedPropertyItem.partial({ property_rid: true, status: true }).extend({
        source: text.optional(),
        delegation_type: text.optional(),
      }),
    ),
    authorized_agents: z.array(
      z.looseObject({
        url: text,
        authorized_for: text.optional(),
        source: text,
        properties_authorized: z.int().optional(),
        properties_total: z.int().optional(),
        publisher_wide: z.boolean().optional(),
      }),
    ),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'PublisherLookup', description: 'The inventory of a publisher and its agents' })
export type PublisherLookup = z.infer<typeof PublisherLookup>

export const DomainLookup = z
  .looseObject({
    domain: text,
    authorized_agents: z.array(z.looseObject({ url: text, authorized_for: text.optional() })),
    sales_agents_claiming: z.array(z.looseObject({ url: text })),
    freshness: FreshnessBlock.optional(),
  })
  .meta({ id: 'DomainLookup', description: 'Agents authorized for a domain' })
export type DomainLookup = z.infer<typeof DomainLookup>

export const PlacementItem = z
  .looseObject({ placement_id: text, name: text, tags: texts, source: text })
  .meta({ id: 'Placement' })
export type PlacementItem = z.infer<typeof PlacementItem>

export const BrandItem = z
  .looseObject({
    domain: text,
    brand_name: text,
    canonical_domain: text,
    source: z.enum(['brand_json', 'enriched', 'community']),
    has_manifest: z.boolean(),
    verified: z.boolean(),
    keller_type: text,
    house_domain: text.optional(),
    claimed_house_domain: text.optional(),
    relationship_trust: text.optional(),
  })
  .meta({ id: 'BrandItem', description: 'A brand as lists show it' })
export type BrandItem = z.infer<typeof BrandItem>

const count = z.int().nonnegative()

export const BrandStats = z
  .looseObject({
    total: count,
    hosted: count,
    brand_json: count,
    community: count,
    enriched: count,
    stub: count,
    houses: count,
    sub_brands: count,
    with_manifest: count,
  })
  .meta({ id: 'BrandStats', description: 'Brands that match the search, of every source' })
export type BrandStats = z.infer<typeof BrandStats>

export const PropertyItem = ResolvedPropertyItem.extend({
  domain: text,
  publisher_domain: text,
  source: text,
  verified: z.boolean(),
  property_count: count,
  agent_count: count,
}).meta({ id: 'ListedProperty', description: 'A property, with the counts of its publisher' })
export type PropertyItem = z.infer<typeof PropertyItem>

export const PropertyStats = z
  .looseObject({ total: count, community: count, adagents_json: count, hosted: count })
  .meta({ id: 'PropertyStats', description: 'Properties that match the search, of every source' })
export type PropertyStats = z.infer<typeof PropertyStats>

export const RegistryStats = z
  .looseObject({
    seq: count,
    total_brands: count,
    total_publishers: count,
    total_agents: count,
    total_properties: count,
    registered_agents: count,
    registered_publishers: count,
    discovered_agents: count,
    discovered_publishers: count,
    discovered_properties: count,
    authorizations: count,
    authorizations_by_source: z.record(text, count),
    properties_by_type: z.record(text, count),
  })
  .meta({ id: 'RegistryStats', description: 'What the registry holds, as of commit `seq`' })
export type RegistryStats = z.infer<typeof RegistryStats>

/** An organization's API key, found by the SHA-256 of its secret. */
export const StoredPrincipal = z.object({
  key_id: text,
  org_id: text,
  org_name: text,
  membership_tier: z.enum(tierNames).nullable(),
  label: text,
  permissions: z.array(z.enum(keyPermissions)),
  created_at: text,
})
export type StoredPrincipal = z.infer<typeof StoredPrincipal>

export const FeedAnswer = z
  .looseObject({
    events: z.array(FeedEvent),
    cursor: z.string().regex(/^[0-9a-f-]{36}$/),
    has_more: z.boolean(),
    freshness: z.looseObject({
      generated_at: z.iso.datetime(),
      latest_event_created_at: z.iso.datetime().nullable(),
      lag_seconds: count.nullable(),
      retention_days: count,
    }),
  })
  .meta({ id: 'Feed', description: 'A page of the change feed' })

export const ErrorBody = z
  .looseObject({ error: text, message: text.optional(), retry_after: count.optional() })
  .meta({ id: 'Error', description: 'What went wrong, in words' })
