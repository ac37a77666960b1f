import type { PropertyItem, PropertyStats } from '../../model/answers.ts'
import type { Snapshot } from '../reader.ts'
import type { ListFilter } from '../search/listing.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { listedPage } from './listed.ts'
import type { Page } from './rows.ts'

/** The words of answers, and the words of the table. */
const catalogSources = {
  adagents_json: 'authoritative',
  community: 'contributed',
  enriched: 'enriched',
} as const

export type PropertySource = keyof typeof catalogSources

export interface PropertiesAsked extends Page {
  source?: PropertySource | undefined
}

/** What publishers' own files show, and what people told of those who have none. */
const LISTED = `
with listed as (
  select p.property_rid, p.publisher_domain, p.property_id, p.property_type, p.name, p.identifiers,
    p.tags, p.status, p.source, u.property_count, u.agent_count
  from properties p join publishers u on u.domain = p.publisher_domain
  where p.status = 'active' and p.classification = 'property'
  union all
  select h.property_rid, e.domain, h.property_id, h.property_type, h.name, coalesce(h.identifiers, []),
    coalesce(h.tags, []), 'active', 'contributed', json_array_length(e.document, '$.properties'), 0
  from (select domain, document, unnest(from_json(document->'properties', '[{"property_rid": "UUID",
      "property_id": "VARCHAR", "property_type": "VARCHAR", "name": "VARCHAR", "tags": ["VARCHAR"],
      "identifiers": [{"type": "VARCHAR", "value": "VARCHAR"}]}]')) as h
    from entries anti join (select domain from publishers where valid) using (domain)
    where entity = 'property' and status = 'live') e
)`

const ITEM = `
select p.property_rid, p.publisher_domain as domain, p.publisher_domain, p.property_id as id,
  p.property_type as type, p.property_type, p.name, to_json(p.identifiers) as identifiers,
  to_json(p.tags) as tags, p.status,
  case p.source when 'authoritative' then 'adagents_json' when 'contributed' then 'community'
    else p.source end as source,
  p.source = 'authoritative' as verified, p.property_count::double as property_count,
  p.agent_count::double as agent_count
from listed p`

/** All properties that lists show, in their order. */
export const listedProperties = `${LISTED} ${ITEM} order by p.property_rid`

const ITEMS = `
${LISTED} ${ITEM} where ($source is null or p.source = $source)
order by p.property_rid limit $limit offset $offset`

const STATS = `
${LISTED} select count(*) as total,
  count(*) filter (p.source in ('contributed', 'enriched')) as community,
  count(*) filter (p.source = 'authoritative') as adagents_json, 0 as hosted from listed p`

export type PropertyItemRow = PropertyItem & { id: string | null }

export function listedPropertyOf({ id, ...row }: PropertyItemRow): PropertyItem {
  return id === null ? row : { id, ...row }
}

/** A page of active properties by id; the counts are of all, whatever their source. */
export async function listProperties(
  { db }: Pick<Snapshot, 'db'>,
  { source, limit, offset }: PropertiesAsked,
): Promise<{ properties: PropertyItem[]; stats: PropertyStats }> {
  const of = source === undefined ? null : catalogSources[source]
  const [rows, stats] = await Promise.all([
    db.all<PropertyItemRow>(ITEMS, { source: of, limit, offset }),
    db.one<PropertyStats>(STATS),
  ])
  return { properties: rows.map(listedPropertyOf), stats: stats! }
}

/** The same for properties that match a text, the best first; the items are JSON. */
export async function searchProperties(
  index: SearchIndex,
  text: string,
  { source, limit, offset }: PropertiesAsked,
): Promise<{ items: string[]; stats: PropertyStats }> {
  const matches = await index.all('properties', text)
  const isOf = source === undefined ? () => true : propertiesOf(source).fits
  const stats = countProperties(matches.counter())
  return { items: await matches.page({ limit, offset }, isOf), stats }
}

/** A page from the search file, as the JSON of an answer with at most so many bytes of items. */
export function propertiesListed(
  index: SearchIndex,
  { source, ...stretch }: PropertiesAsked,
  mostBytes: number,
): Buffer {
  const listing = index.listing('properties')
  const stats = countProperties(fits => listing.count(fits))
  const filter = source === undefined ? undefined : propertiesOf(source)
  return listedPage('properties', listing, stretch, { filter, stats }, mostBytes)
}

/** The flags of properties of one source. */
function propertiesOf(source: string): ListFilter {
  return { name: source, fits: flags => sources[flags] === source }
}

/**
 * A listed property as searches of all kinds show it: with the catalog's word for its source. Both are
 * JSON, in which no text holds a quote that is not escaped: so this can be nothing but the member.
 */
export function foundPropertyOf(item: string): string {
  return item.replace(SOURCE, (_, source: PropertySource) => `"source":"${catalogSources[source]}"`)
}

const SOURCE = new RegExp(`"source":"(${Object.keys(catalogSources).join('|')})"`)

const sources = Object.keys(catalogSources)

/** What is counted and filtered of a property, as eight bits. */
export function propertyFlags({ source }: PropertyItem): number {
  return sources.indexOf(source)
}

function countProperties(count: (fits: (flags: number) => boolean) => number): PropertyStats {
  const ofFile = count(flags => sources[flags] === 'adagents_json')
  const total = count(() => true)
  return { total, community: total - ofFile, adagents_json: ofFile, hosted: 0 }
}

/** What is listed before the first snapshot. */
export const noProperties: { properties: PropertyItem[]; stats: PropertyStats } = {
  properties: [],
  stats: { total: 0, community: 0, adagents_json: 0, hosted: 0 },
}
