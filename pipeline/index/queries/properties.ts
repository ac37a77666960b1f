import type { PropertyItem, PropertyStats } from '../../model/answers.ts'
import type { Snapshot } from '../reader.ts'
import { type Page, substring } from './rows.ts'

export interface PropertiesAsked extends Page {
  search?: string | undefined
  source?: 'adagents_json' | 'community' | 'enriched' | undefined
}

/** The words of answers, and the words of the table. */
const sources = { adagents_json: 'authoritative', community: 'contributed', enriched: 'enriched' }

const LISTED = `
from properties p join publishers u on u.domain = p.publisher_domain
where p.status = 'active' and p.classification = 'property'
  and ($search is null or p.name ilike $search escape '\\'
    or p.publisher_domain ilike $search escape '\\'
    or array_to_string(list_transform(p.identifiers, i -> i.value), chr(10))
      ilike $search escape '\\')`

const ITEMS = `
select p.property_rid, p.publisher_domain as domain, p.publisher_domain, p.property_id as id,
  p.property_type as type, p.property_type, p.name, to_json(p.identifiers) as identifiers,
  to_json(p.tags) as tags, p.status,
  case p.source when 'authoritative' then 'adagents_json' when 'contributed' then 'community'
    else p.source end as source,
  p.source = 'authoritative' as verified, u.property_count, u.agent_count
${LISTED} and ($source is null or p.source = $source)
order by p.property_rid limit $limit offset $offset`

const STATS = `
select count(*) as total, count(*) filter (p.source in ('contributed', 'enriched')) as community,
  count(*) filter (p.source = 'authoritative') as adagents_json, 0 as hosted ${LISTED}`

/** A page of active properties by id; the counts are of all that match the search. */
export async function listProperties(
  { db }: Pick<Snapshot, 'db'>,
  { search, source, limit, offset }: PropertiesAsked,
): Promise<{ properties: PropertyItem[]; stats: PropertyStats }> {
  const matching = { search: substring(search) }
  const of = source === undefined ? null : sources[source]
  const [rows, stats] = await Promise.all([
    db.all<PropertyItem & { id: string | null }>(ITEMS, { ...matching, source: of, limit, offset }),
    db.one<PropertyStats>(STATS, matching),
  ])
  const properties = rows.map(({ id, ...row }) => (id === null ? row : { id, ...row }))
  return { properties, stats: stats! }
}

/** What is listed before the first snapshot. */
export const noProperties: { properties: PropertyItem[]; stats: PropertyStats } = {
  properties: [],
  stats: { total: 0, community: 0, adagents_json: 0, hosted: 0 },
}
