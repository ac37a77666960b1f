import type { PropertyItem, PropertyStats } from '../../model/responses/index.ts'
import {
  catalogSources,
  LISTED_PROPERTIES,
  PROPERTY_ITEM,
  type PropertyItemRow,
  type PropertySource,
  propertySources,
  toPropertyListItem,
} from '../../search/property-items.ts'
import type { CountFlags, RegisteredList } from './listed.ts'

const ITEMS = `
${LISTED_PROPERTIES} ${PROPERTY_ITEM} where ($source is null or p.source = $source)
  and ($after is null or p.property_rid::varchar > $after)
order by p.property_rid limit $limit offset $offset`

const STATS = `
${LISTED_PROPERTIES} select count(*) as total,
  count(*) filter (p.source in ('contributed', 'enriched')) as community,
  count(*) filter (p.source = 'authoritative') as adagents_json, 0 as hosted from listed p`

/** Active properties by id. */
export const propertyList: RegisteredList<PropertySource> = {
  name: 'properties',
  async load({ db }, { source, limit, offset, after }) {
    const catalogSource = source === undefined ? null : catalogSources[source]
    const [rows, stats] = await Promise.all([
      db.all<PropertyItemRow>(ITEMS, {
        source: catalogSource,
        limit,
        offset,
        after: after?.[0] ?? null,
      }),
      db.oneOrThrow<PropertyStats>(STATS),
    ])
    return { items: rows.map(toPropertyListItem), stats }
  },
  toPlace: item => [(JSON.parse(item) as PropertyItem).property_rid],
  isOfSource: (flags, source) => propertySources[flags] === source,
  count: countProperties,
}

/**
 * Converts a listed property to the form of cross-kind searches, with the catalog's word for its source.
 * Both are JSON, in which a quote inside a text is always escaped, so the match can only be the member.
 */
export function toFoundProperty(item: string): string {
  return item.replace(SOURCE, (_, source: PropertySource) => `"source":"${catalogSources[source]}"`)
}

const SOURCE = new RegExp(`"source":"(${Object.keys(catalogSources).join('|')})"`)

function countProperties(count: CountFlags): PropertyStats {
  const ofFile = count(flags => propertySources[flags] === 'adagents_json')
  const total = count(() => true)
  return { total, community: total - ofFile, adagents_json: ofFile, hosted: 0 }
}
