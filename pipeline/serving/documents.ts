import { stripNulls } from '../diff/events.ts'
import type { Identifier } from '../model/documents/index.ts'
import { DEFAULT_KELLER_TYPE } from '../model/documents/vocabulary.ts'
import { toGrantScope } from '../model/grant-scope.ts'
import { isUrl, toUrl } from '../model/observation.ts'
import type {
  BrandResolution,
  DomainLookup,
  PropertyResolution,
  PublisherLookup,
} from '../model/responses/index.ts'
import type {
  AuthorizationRow,
  BrandRow,
  EntryRow,
  PropertyRow,
  PublisherRow,
} from '../model/rows.ts'
import type { HostedProperty } from '../model/save.ts'
import { readProperties } from '../store/entries.ts'
import { cutFormats, toBrandCard } from './brand-card.ts'
import { countReached } from './inventory-record.ts'

/** Properties and agents one answer lists; it says when there are more. */
const ITEMS_MAX = 200
/** Bytes of one list at most, so that an answer with both stays below what callers take. */
const PROPERTIES_BYTES_MAX = 120 * 1024
const AGENTS_BYTES_MAX = 60 * 1024
/** Agents whose reach is counted in a lookup. */
export const ROLLUP_AGENTS_MAX = 50

export function toBrandResolution(row: BrandRow): BrandResolution {
  const { domain: _, seq: __, resolved_location: ___, manifest, promotion, ...facts } = row
  const { enrichment = null, ...found } = row.source === 'enriched' ? { ...manifest } : {}
  const shown = enrichment === null ? manifest : found
  return stripNulls({
    ...facts,
    keller_type: row.keller_type ?? DEFAULT_KELLER_TYPE,
    brand_manifest:
      shown === null && row.brand_id === null ? null : { name: row.brand_name, ...shown },
    enrichment,
    promoted_from_schema: promotion?.schema ?? null,
    migration_warnings: promotion?.warnings ?? null,
  }) as BrandResolution
}

/** Everything the index holds of one publisher, active properties first. */
export interface PublisherState {
  publisher: PublisherRow
  properties: PropertyRow[]
  authorizations: AuthorizationRow[]
}

export function toPropertyResolution(state: PublisherState): PropertyResolution {
  const agents = toAgents(state.authorizations)
  return {
    publisher_domain: state.publisher.domain,
    source: 'adagents_json',
    verified: state.publisher.valid,
    ...cut('authorized_agents', agents),
    ...cut('properties', state.properties, PROPERTIES_BYTES_MAX, toPropertyItem),
  } as PropertyResolution
}

/** Builds the property resolution of a community entry, which contains no grants. */
export function toHostedResolution(entry: EntryRow, contact?: object): PropertyResolution {
  return {
    publisher_domain: entry.domain,
    source: 'hosted',
    verified: false,
    authorized_agents: [],
    ...cut('properties', readProperties(entry).map(toHostedItem)),
    ...(contact && { contact }),
  } as unknown as PropertyResolution
}

export function toHostedItem({ property_id, property_type, ...property }: HostedProperty) {
  return {
    ...(property_id === undefined ? {} : { id: property_id }),
    type: property_type,
    property_type,
    ...property,
    status: 'active',
  }
}

export function toDomainLookup({ publisher, authorizations }: PublisherState): DomainLookup {
  return {
    domain: publisher.domain,
    ...cut('authorized_agents', toAgents(authorizations)),
    sales_agents_claiming: [],
  } as unknown as DomainLookup
}

/** Facts for a publisher's lookup from elsewhere than its own file. */
export interface PublisherContext {
  brand: BrandRow | undefined
  /** Publishers whose file it manages, and how many of them have a valid one. */
  network: { publisher_count: number; valid_count: number } | undefined
}

/**
 * Builds the lookup of a publisher. `hosting` is the last member, since the state of its file is
 * added to it when the answer is sent.
 */
export function toPublisherLookup(
  state: PublisherState,
  { brand, network }: PublisherContext,
): Omit<PublisherLookup, 'member'> {
  const { publisher } = state
  const properties = cut('properties', state.properties, PROPERTIES_BYTES_MAX, toListedProperty)
  const agents = cut('authorized_agents', countReach(state), AGENTS_BYTES_MAX)
  return {
    domain: publisher.domain,
    adagents_valid: publisher.valid,
    discovery_method: publisher.discovery_method,
    manager_domain: publisher.manager_domain,
    files: toFiles(publisher, brand),
    ...(brand && { brand: toBrandCard(brand) }),
    ...(network && { network }),
    ...properties,
    ...agents,
    ...isContinued(properties, agents),
    ...buildRollup(publisher.agent_count),
    ...cutFormats(publisher.catalog.formats),
    ...(publisher.catalog.left_out && { left_out: publisher.catalog.left_out }),
    hosting: toHosting(publisher),
  } as unknown as Omit<PublisherLookup, 'member'>
}

/** Adds the cursor of the next page, behind what both lists show. */
function isContinued(...lists: Record<string, unknown>[]) {
  const shown = lists.flatMap(list => {
    const [[name, items]] = Object.entries(list) as [[string, unknown[]]]
    return list[`${name}_truncated`] === true ? items.length : []
  })
  return shown.length === 0 ? {} : { next_cursor: String(Math.min(...shown)) }
}

function buildRollup(total_agents: number) {
  return total_agents > ROLLUP_AGENTS_MAX
    ? { rollup_truncated: { cap: ROLLUP_AGENTS_MAX, total_agents } }
    : {}
}

function toListedProperty(row: PropertyRow) {
  return { ...toPropertyItem(row), source: 'adagents_json' }
}

function toFiles({ domain, valid }: PublisherRow, brand: BrandRow | undefined) {
  return {
    adagents_json: {
      status: valid ? 'valid' : 'invalid',
      expected_url: toUrl({ kind: 'adagents.json', location: domain }),
    },
    brand_json:
      brand === undefined ? { status: 'unknown' } : { status: 'present', name: brand.brand_name },
  }
}

type Shown = Pick<
  PropertyRow,
  'property_id' | 'property_rid' | 'property_type' | 'name' | 'status'
> & { identifiers: readonly Identifier[]; tags: readonly string[] }

export function toPropertyItem(row: Shown) {
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

function toHosting({ domain, resolved_location, valid }: PublisherRow) {
  const redirected = isUrl(resolved_location) || resolved_location !== domain
  const mode = !valid ? 'self_invalid' : redirected ? 'self_redirected' : 'self'
  return {
    mode,
    expected_url: toUrl({ kind: 'adagents.json', location: domain }),
    resolved_url: toUrl({ kind: 'adagents.json', location: resolved_location }),
  }
}

/** Converts the first grant of an agent to what it says of its purpose, if it says something. */
function toReason(grant: AuthorizationRow | undefined): { authorized_for?: string } {
  const authorized_for = grant?.authorized_for ?? null
  return authorized_for === null ? {} : { authorized_for }
}

/** Converts entries to agents: one item an agent, however many entries name it. */
function toAgents(rows: readonly AuthorizationRow[]) {
  return [...groupByAgent(rows)].map(([url, grants]) => ({
    url,
    ...toReason(grants[0]),
    ...toGrantScope(grants),
  }))
}

/**
 * Counts what an agent reaches of this publisher's own active properties; a grant may also reach stale ones,
 * and one that they were merged into.
 */
function countReach({ publisher, properties, authorizations }: PublisherState) {
  const total = publisher.property_count
  const own = new Set(
    properties.filter(row => row.status === 'active').map(row => row.property_rid),
  )
  return [...groupByAgent(authorizations)].map(([url, grants], i) => {
    const reached = i < ROLLUP_AGENTS_MAX ? countReached(grants, own) : 0
    return {
      url,
      ...toReason(grants[0]),
      source: 'adagents_json',
      ...toGrantScope(grants),
      ...(i < ROLLUP_AGENTS_MAX && {
        properties_authorized: reached,
        properties_total: total,
        publisher_wide: total > 0 && reached === total,
      }),
    }
  })
}

function groupByAgent(rows: readonly AuthorizationRow[]): Map<string, AuthorizationRow[]> {
  const agents = new Map<string, AuthorizationRow[]>()
  for (const row of rows) {
    const others = agents.get(row.agent_url)
    if (others) others.push(row)
    else agents.set(row.agent_url, [row])
  }
  return new Map([...agents].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Cuts the first items out of a publisher's thousands; only these are built. */
function cut<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  bytesMax = PROPERTIES_BYTES_MAX,
  show: (item: Item) => unknown = item => item,
) {
  let bytes = 0
  const shown = items.slice(0, ITEMS_MAX).map(show)
  const over = shown.findIndex(item => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    return bytes > bytesMax
  })
  if (over !== -1) shown.length = over
  return {
    [name]: shown,
    ...(shown.length < items.length
      ? { [`${name}_total`]: items.length, [`${name}_truncated`]: true }
      : {}),
  }
}
