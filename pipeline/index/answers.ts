import { withoutNulls } from '../diff/events.ts'
import type {
  BrandResolution,
  DomainLookup,
  PropertyResolution,
  PublisherLookup,
} from '../model/answers.ts'
import { isUrl, urlOf } from '../model/observation.ts'
import type { AuthorizationRow, BrandRow, PropertyRow, PublisherRow } from '../model/rows.ts'

/** Properties and agents one answer lists; it says when there are more. */
const ITEMS = 200
const FORMATS = 100

export function brandResolutionOf(row: BrandRow): BrandResolution {
  const { domain: _, seq: __, manifest, ...facts } = row
  return withoutNulls({
    ...facts,
    brand_manifest:
      manifest === null && row.brand_id === null ? null : { name: row.brand_name, ...manifest },
  }) as BrandResolution
}

/** Everything the index holds of one publisher, active properties first. */
export interface PublisherState {
  publisher: PublisherRow
  properties: PropertyRow[]
  authorizations: AuthorizationRow[]
}

export function propertyResolutionOf(state: PublisherState): PropertyResolution {
  const agents = agentsOf(state.authorizations)
  return {
    publisher_domain: state.publisher.domain,
    source: 'adagents_json',
    verified: state.publisher.valid,
    ...cut('authorized_agents', agents),
    ...cut('properties', state.properties.map(propertyItemOf)),
  } as PropertyResolution
}

export function domainLookupOf({ publisher, authorizations }: PublisherState): DomainLookup {
  return {
    domain: publisher.domain,
    ...cut('authorized_agents', agentsOf(authorizations)),
    sales_agents_claiming: [],
  } as unknown as DomainLookup
}

export function publisherLookupOf(state: PublisherState): Omit<PublisherLookup, 'member'> {
  const { publisher, properties } = state
  return {
    domain: publisher.domain,
    adagents_valid: publisher.valid,
    discovery_method: publisher.discovery_method,
    manager_domain: publisher.manager_domain,
    hosting: hostingOf(publisher),
    ...cut(
      'properties',
      properties.map(row => ({ ...propertyItemOf(row), source: 'adagents_json' })),
    ),
    ...cut('authorized_agents', reachOf(state)),
    formats: publisher.catalog.formats.slice(0, FORMATS),
  } as unknown as Omit<PublisherLookup, 'member'>
}

export function propertyItemOf(row: PropertyRow) {
  return {
    ...(row.property_id === null ? {} : { id: row.property_id }),
    property_rid: row.property_rid,
    type: row.property_type,
    property_type: row.property_type,
    name: row.name,
    identifiers: row.identifiers,
    tags: row.tags,
    status: row.status,
  }
}

function hostingOf({ domain, resolved_location, valid }: PublisherRow) {
  const redirected = isUrl(resolved_location) || resolved_location !== domain
  const mode = !valid ? 'self_invalid' : redirected ? 'self_redirected' : 'self'
  return {
    mode,
    expected_url: urlOf({ kind: 'adagents.json', location: domain }),
    resolved_url: urlOf({ kind: 'adagents.json', location: resolved_location }),
  }
}

/** One entry an agent, however many entries of the file name it. */
function agentsOf(rows: readonly AuthorizationRow[]) {
  return [...byAgent(rows)].map(([url, [first]]) => ({
    url,
    ...(first!.authorized_for === null ? {} : { authorized_for: first!.authorized_for }),
  }))
}

/** Of this publisher's own properties; a grant may also reach one they were merged into. */
function reachOf({ publisher, properties, authorizations }: PublisherState) {
  const total = publisher.property_count
  const own = new Set(properties.map(row => row.property_rid))
  return [...byAgent(authorizations)].map(([url, grants]) => {
    const rids = new Set(grants.flatMap(grant => grant.property_rids))
    const reached = [...rids].filter(rid => own.has(rid)).length
    return {
      url,
      ...(grants[0]!.authorized_for === null ? {} : { authorized_for: grants[0]!.authorized_for }),
      source: 'adagents_json',
      authorization_types: [...new Set(grants.map(grant => grant.authorization_type))],
      properties_authorized: reached,
      properties_total: total,
      publisher_wide: total > 0 && reached === total,
    }
  })
}

function byAgent(rows: readonly AuthorizationRow[]): Map<string, AuthorizationRow[]> {
  const agents = new Map<string, AuthorizationRow[]>()
  for (const row of rows) agents.set(row.agent_url, [...(agents.get(row.agent_url) ?? []), row])
  return new Map([...agents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function cut<Name extends string, Item>(name: Name, items: readonly Item[]) {
  return {
    [name]: items.slice(0, ITEMS),
    ...(items.length > ITEMS
      ? { [`${name}_total`]: items.length, [`${name}_truncated`]: true }
      : {}),
  }
}
