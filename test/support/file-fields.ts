import type { FileKind } from '../../pipeline/model/observation.ts'
import type { Path } from './json-mutations.ts'

/** Structure of the two files, as far as the tests of the parsers need it. */
export const fileFields = {
  'adagents.json': {
    /** Members that decide how the rest is read. */
    decisive: ['authoritative_location'],
    /** List in the file → list in the document. */
    lists: {
      authorized_agents: 'agents',
      properties: 'properties',
      collections: 'collections',
      placements: 'placements',
      formats: 'formats',
      signals: 'signals',
      revoked_publisher_domains: 'revoked_publisher_domains',
    },
  },
  'brand.json': {
    decisive: [
      'authoritative_location',
      'house',
      'brands',
      'brand_refs',
      'id',
      'names',
      'agents',
      'brand_agent',
    ],
    lists: {
      brands: 'brands',
      brand_refs: 'brand_refs',
      authorized_operators: 'authorized_operators',
      trademarks: 'trademarks',
      agents: 'agents',
    },
  },
  /** Fields without which an item is dropped, by the list of the item. */
  required: {
    authorized_agents: ['url', 'effective_from', 'effective_until'],
    properties: ['identifiers', 'publisher_domain'],
    collections: ['collection_id'],
    placements: ['placement_id'],
    signals: ['id'],
    revoked_publisher_domains: ['publisher_domain'],
    brands: ['id'],
    brand_refs: ['domain', 'brand_id', 'effective_at'],
    authorized_operators: ['domain', 'brands', 'valid_from', 'valid_until'],
    trademarks: ['registry', 'number', 'mark', 'license_type'],
    agents: ['type', 'url'],
  } as Record<string, readonly string[]>,
  /** Fields of the document that are derived from a field of the file. */
  derived: {
    url: ['agent_url'],
    names: ['name'],
    brand_agent: ['agents'],
    rights_agent: ['agents'],
  } as Record<string, readonly string[]>,
}

const text = 'string'
const list = 'list'
const object = 'object'
type Kind = 'string' | 'list' | 'object' | 'boolean' | 'number' | 'null'

const property: Record<string, Kind> = {
  property_type: text,
  name: text,
  property_id: text,
  publisher_domain: text,
  identifiers: list,
  'identifiers.*': object,
  'identifiers.*.type': text,
  'identifiers.*.value': text,
  tags: list,
  'tags.*': text,
  supported_channels: list,
  'supported_channels.*': text,
}

const agent: Record<string, Kind> = { type: text, url: text, id: text, jwks_uri: text }

const adagents: Record<string, Kind> = {
  authoritative_location: text,
  superseded_by: text,
  catalog_etag: text,
  last_updated: text,
  ...addPrefix('', { tags: object, signal_tags: object, placement_tags: object }),
  'tags.*': object,
  authorized_agents: list,
  'authorized_agents.*': object,
  ...addPrefix('authorized_agents.*.', {
    url: text,
    authorized_for: text,
    authorization_type: text,
    property_ids: list,
    'property_ids.*': text,
    property_tags: list,
    'property_tags.*': text,
    signal_ids: list,
    signal_tags: list,
    properties: list,
    'properties.*': object,
    publisher_properties: list,
    'publisher_properties.*': object,
    'publisher_properties.*.selection_type': text,
    'publisher_properties.*.publisher_domain': text,
    'publisher_properties.*.publisher_domains': list,
    'publisher_properties.*.publisher_domains.*': text,
    collections: list,
    'collections.*': object,
    'collections.*.publisher_domain': text,
    'collections.*.collection_ids': list,
    placement_ids: list,
    'placement_ids.*': text,
    placement_tags: list,
    delegation_type: text,
    exclusive: 'boolean',
    countries: list,
    'countries.*': text,
    effective_from: text,
    effective_until: text,
    signing_keys: list,
    'signing_keys.*': object,
    'signing_keys.*.kid': text,
  }),
  ...addPrefix('authorized_agents.*.properties.*.', property),
  properties: list,
  'properties.*': object,
  ...addPrefix('properties.*.', property),
  collections: list,
  'collections.*': object,
  ...addPrefix('collections.*.', {
    collection_id: text,
    name: text,
    kind: text,
    distribution: list,
  }),
  placements: list,
  'placements.*': object,
  ...addPrefix('placements.*.', { placement_id: text, name: text, tags: list, property_ids: list }),
  formats: list,
  'formats.*': object,
  signals: list,
  'signals.*': object,
  ...addPrefix('signals.*.', { id: text, name: text, value_type: text, tags: list }),
  revoked_publisher_domains: list,
  'revoked_publisher_domains.*': object,
  'revoked_publisher_domains.*.publisher_domain': text,
  'revoked_publisher_domains.*.revoked_at': text,
}

const brandFields: Record<string, Kind> = {
  id: text,
  names: list,
  'names.*': object,
  keller_type: text,
  parent_brand: text,
  url: text,
  properties: list,
  'properties.*': object,
  'properties.*.type': text,
  'properties.*.identifier': text,
  'properties.*.relationship': text,
  'properties.*.primary': 'boolean',
  agents: list,
  'agents.*': object,
  ...addPrefix('agents.*.', agent),
}

const brand: Record<string, Kind> = {
  authoritative_location: text,
  last_updated: text,
  'house.name': text,
  'house.domain': text,
  'house.agents': list,
  'brands.*': object,
  ...addPrefix('brands.*.', brandFields),
  'brand_refs.*': object,
  ...addPrefix('brand_refs.*.', { domain: text, brand_id: text, effective_at: text }),
  'authorized_operators.*': object,
  ...addPrefix('authorized_operators.*.', {
    domain: text,
    brands: list,
    'brands.*': text,
    scopes: list,
    'scopes.*': text,
    countries: list,
    'countries.*': text,
    valid_from: text,
    valid_until: text,
  }),
  'trademarks.*': object,
  ...addPrefix('trademarks.*.', {
    registry: text,
    number: text,
    mark: text,
    status: text,
    license_type: text,
    licensor_domain: text,
    countries: list,
    nice_classes: list,
    'nice_classes.*': 'number',
  }),
  'agents.*': object,
  ...addPrefix('agents.*.', agent),
  'properties.*': object,
  'properties.*.relationship': text,
}

function addPrefix(prefix: string, kinds: Record<string, Kind>): Record<string, Kind> {
  return Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [prefix + key, kind]))
}

/** Tells whether a value is of another type than its place in the file requires. */
export function hasWrongType(kind: FileKind, path: Path, value: unknown): boolean {
  const place = path.map(step => (typeof step === 'number' ? '*' : step)).join('.')
  const wanted = (kind === 'adagents.json' ? adagents : brand)[place]
  return wanted !== undefined && wanted !== nameKind(value)
}

function nameKind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
