import type { PropertyItem, PropertyList, PropertyStats } from '../../model/responses/index.ts'
import type { ListFilter } from '../../search/listing.ts'
import {
  catalogSources,
  LISTED_PROPERTIES,
  PROPERTY_ITEM,
  type PropertyItemRow,
  type PropertySource,
  propertySources,
  toPropertyListItem,
} from '../../search/property-items.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { Snapshot } from '../reader.ts'
import { buildListPage } from './listed.ts'
import type { Page } from './rows.ts'

export interface PropertiesAsked extends Page {
  source?: PropertySource | undefined
}

const ITEMS = `
${LISTED_PROPERTIES} ${PROPERTY_ITEM} where ($source is null or p.source = $source)
order by p.property_rid limit $limit offset $offset`

const STATS = `
${LISTED_PROPERTIES} select count(*) as total,
  count(*) filter (p.source in ('contributed', 'enriched')) as community,
  count(*) filter (p.source = 'authoritative') as adagents_json, 0 as hosted from listed p`

/** Lists a page of active properties by id; the counts cover all, whatever their source. */
export async function listProperties(
  { db }: Pick<Snapshot, 'db'>,
  { source, limit, offset }: PropertiesAsked,
): Promise<{ properties: PropertyItem[]; stats: PropertyStats }> {
  const of = source === undefined ? null : catalogSources[source]
  const [rows, stats] = await Promise.all([
    db.all<PropertyItemRow>(ITEMS, { source: of, limit, offset }),
    db.one<PropertyStats>(STATS),
  ])
  return { properties: rows.map(toPropertyListItem), stats: stats! }
}

/** Searches properties by text, the best first; the items are JSON. */
export async function searchProperties(
  index: SearchIndex,
  text: string,
  { source, limit, offset }: PropertiesAsked,
): Promise<{ items: string[]; stats: PropertyStats }> {
  const matches = await index.all('properties', text)
  const isOfSource = source === undefined ? () => true : toPropertyFilter(source).matches
  const stats = countProperties(matches.counter())
  return { items: await matches.page({ limit, offset }, isOfSource), stats }
}

/** Lists a page from the search file, as the JSON of an answer with at most so many bytes of items. */
export function listPropertiesPage(
  index: SearchIndex,
  { source, ...stretch }: PropertiesAsked,
  mostBytes: number,
): Buffer {
  const listing = index.listing('properties')
  const stats = countProperties(isMatching => listing.count(isMatching))
  const filter = source === undefined ? undefined : toPropertyFilter(source)
  return buildListPage('properties', listing, stretch, { filter, stats }, mostBytes)
}

/** Converts a source to the flags of its properties. */
function toPropertyFilter(source: string): ListFilter {
  return { name: source, matches: flags => propertySources[flags] === source }
}

/**
 * Converts a listed property to the form of cross-kind searches, with the catalog's word for its source.
 * Both are JSON, in which a quote inside a text is always escaped, so the match can only be the member.
 */
export function toFoundProperty(item: string): string {
  return item.replace(SOURCE, (_, source: PropertySource) => `"source":"${catalogSources[source]}"`)
}

const SOURCE = new RegExp(`"source":"(${Object.keys(catalogSources).join('|')})"`)

function countProperties(count: (isMatching: (flags: number) => boolean) => number): PropertyStats {
  const ofFile = count(flags => propertySources[flags] === 'adagents_json')
  const total = count(() => true)
  return { total, community: total - ofFile, adagents_json: ofFile, hosted: 0 }
}

/** Property list before the first snapshot. */
export const noProperties: PropertyList = {
  properties: [],
  stats: { total: 0, community: 0, adagents_json: 0, hosted: 0 },
  has_more: false,
  next_cursor: null,
}
