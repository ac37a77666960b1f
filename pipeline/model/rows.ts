import type {
  AgentProtocol,
  AgentTypeOrUnknown,
  BrandPromotion,
  Identifier,
  LeftOutList,
} from './documents/index.ts'

/** Rows of the index, column for column (data/tables). Times are ISO 8601 text in UTC. */
export interface BrandRow {
  domain: string
  canonical_id: string
  canonical_domain: string
  brand_name: string
  source: string
  brand_id: string | null
  keller_type: string | null
  house_domain: string | null
  house_name: string | null
  claimed_house_domain: string | null
  parent_brand: string | null
  brand_agent_url: string | null
  relationship_trust: string | null
  relationship_declared_at: string | null
  names: Record<string, string>[] | null
  manifest: Record<string, unknown> | null
  seq: number
  /** Null if no file names it. */
  resolved_location: string | null
  promotion: BrandPromotion | null
}

export interface PublisherRow {
  domain: string
  valid: boolean
  discovery_method: string
  manager_domain: string | null
  resolved_location: string
  agent_count: number
  property_count: number
  collection_count: number
  placement_count: number
  format_count: number
  signal_count: number
  fields: Record<string, string>
  catalog: { formats: unknown[]; placements: unknown[]; left_out?: LeftOutList[] }
  /** Agents that its file lists without a grant in force. */
  listed_agents: string[]
  /**
   * Version of the counting behind its agents' reach (`REACH_FORMAT`); null in rows from before there were
   * versions.
   */
  reach_format: number | null
  discovered_at: string
  changed_at: string
  seq: number
}

export interface PropertyRow {
  property_rid: string
  publisher_domain: string
  property_id: string | null
  property_type: string
  name: string
  identifiers: Identifier[]
  tags: string[]
  supported_channels: string[]
  channels: string[]
  /** Published categories; null if there are none. */
  categories: string[] | null
  category_taxonomy: string | null
  classification: string
  source: string
  /** A removed one is an alias: it was merged into another. */
  status: 'active' | 'stale' | 'removed'
  stale_reason: string | null
  /** True if only entries of the file contain it, so that no selector reaches it. Null for all others. */
  inline_only: true | null
  created_at: string
  changed_at: string
  seq: number
}

/** Properties that grants of one publisher reach, stored once for all that reach the same. */
export interface PropertySetRow {
  set_id: string
  publisher_domain: string
  property_rids: string[]
}

/** Properties that a grant reaches. */
export interface Reached {
  /** Null if it reaches none. */
  property_set: string | null
  property_count: number
  /** Rids of the set, sorted: one list, shared by all rows of the set. Not a column. */
  property_rids: readonly string[]
}

export interface AuthorizationRow extends Reached {
  id: string
  agent_url: string
  publisher_domain: string
  entry: number
  authorization_type: string
  authorized_for: string | null
  publisher_wide: boolean
  property_ids: string[] | null
  property_tags: string[] | null
  publisher_properties:
    | {
        publisher_domain: string
        selection_type: string
        property_ids?: string[]
        property_tags?: string[]
      }[]
    | null
  signal_ids: string[] | null
  signal_tags: string[] | null
  placement_ids: string[] | null
  placement_tags: string[] | null
  collections: { publisher_domain: string; collection_ids: string[] }[] | null
  delegation_type: string | null
  exclusive: boolean | null
  countries: string[] | null
  effective_from: string | null
  effective_until: string | null
  in_force: boolean
  signing_keys: Record<string, unknown>[] | null
  discovery_method: string
  manager_domain: string | null
  granted_at: string
  changed_at: string
  seq: number
}

/** A record that was merged into another. */
export interface AliasRow {
  kind: 'property' | 'collection'
  alias_rid: string
  canonical_rid: string
  evidence: string | null
  merged_at: string
  seq: number
}

/** A community entry of a domain. */
export interface EntryRow {
  entity: 'brand' | 'property'
  domain: string
  entry_id: string
  source: 'community' | 'enriched'
  brand_name: string | null
  document: Record<string, unknown>
  contact_id: string | null
  revision_number: number
  status: 'live' | 'pending' | 'rejected' | 'withdrawn'
  created_at: string
  updated_at: string
  seq: number
}

/** State of an entry that a revision changes and a rollback restores. */
export type EntryState = Pick<
  EntryRow,
  'source' | 'status' | 'brand_name' | 'document' | 'contact_id'
>

/** One save, enrichment or rollback of an entry. */
export interface RevisionRow {
  entity: 'brand' | 'property' | 'policy'
  domain: string
  revision_number: number
  /** In an entry: chosen by the caller. */
  revision_id?: string | null
  editor_id: string
  edit_summary: string
  source: string
  is_rollback: boolean
  rolled_back_to: number | null
  state: Record<string, unknown>
  created_at: string
  seq: number
}

export interface CollectionRow {
  collection_rid: string
  publisher_domain: string
  collection_id: string
  name: string
  kind: string
  identifiers: { publisher_domain: string; type: string; value: string }[]
  collection: Record<string, unknown>
  source: string
  status: 'active' | 'removed'
  created_at: string
  changed_at: string
  seq: number
}

/** A property as a file lists it, in an order that does not depend on the file's. */
export interface ListedProperty {
  property_id: string | null
  property_type: string
  name: string
  identifiers: Identifier[]
  tags: string[]
}

export interface ClaimRow {
  claim_id: string
  agent_url: string
  publisher_domain: string
  manager_domain: string
  entry: number
  selector: number
  authorized_for: string | null
  selection_type: string
  property_ids: string[] | null
  property_tags: string[] | null
  inline_property_ids: string[]
  inline_property_count: number
  /** Cut, if there are very many. */
  inline_properties: ListedProperty[]
  placement_ids: string[] | null
  placement_tags: string[] | null
  collections: { publisher_domain: string; collection_ids: string[] }[] | null
  delegation_type: string | null
  exclusive: boolean | null
  countries: string[] | null
  effective_from: string | null
  effective_until: string | null
  claimed_at: string
  changed_at: string
  seq: number
}

/** Profile of an agent, from its own answers and from declarations. */
export interface AgentProfileRow {
  agent_url: string
  name: string | null
  type: AgentTypeOrUnknown
  protocols: AgentProtocol[]
  tools_count: number
  channels: string[]
  markets: string[]
  has_tmp: boolean
  needs_auth: boolean
  /** Null in rows from before they were read. */
  delivery_types: string[] | null
  format_kinds: string[] | null
  changed_at: string
  seq: number
}

export interface AgentRow {
  agent_url: string
  publisher_count: number
  property_count: number
  property_types: string[]
  channels: string[]
  tags: string[]
  markets: string[]
  /** Channels that publishers name; without those implied by types of properties. */
  declared_channels: string[] | null
  implied_channels: string[] | null
  categories: string[] | null
  category_taxonomy: string | null
  discovered_at: string
  changed_at: string
  seq: number
}
