import type { PropertyItem } from '../model/responses/index.ts'

/** The words of answers, and the words of the table. */
export const catalogSources = {
  adagents_json: 'authoritative',
  community: 'contributed',
  enriched: 'enriched',
} as const

export type PropertySource = keyof typeof catalogSources

/** Selects the properties of publishers' own files, and the entries of domains without one. */
export const LISTED_PROPERTIES = `
with listed as (
  select p.property_rid, p.publisher_domain, p.property_id, p.property_type, p.name, p.identifiers,
    p.tags, p.status, p.source, u.property_count, u.agent_count
  from properties p join publishers u on u.domain = p.publisher_domain
  where u.valid and p.status = 'active' and p.classification = 'property'
  union all
  select h.property_rid, e.domain, h.property_id, h.property_type, h.name,
    case when len(h.identifiers) > 0 then h.identifiers else [{'type': 'domain', 'value': e.domain}] end,
    coalesce(h.tags, []), 'active', 'contributed', json_array_length(e.document, '$.properties'), 0
  from (select domain, document, unnest(from_json(document->'properties', '[{"property_rid": "UUID",
      "property_id": "VARCHAR", "property_type": "VARCHAR", "name": "VARCHAR", "tags": ["VARCHAR"],
      "identifiers": [{"type": "VARCHAR", "value": "VARCHAR"}]}]')) as h
    from entries anti join (select domain from publishers where valid) using (domain)
    where entity = 'property' and status = 'live') e
)`

/** Selects each as an item. */
export const PROPERTY_ITEM = `
select p.property_rid, p.publisher_domain as domain, p.publisher_domain, p.property_id as id,
  p.property_type as type, p.property_type, p.name, to_json(p.identifiers) as identifiers,
  to_json(p.tags) as tags, p.status,
  case p.source when 'authoritative' then 'adagents_json' when 'contributed' then 'community'
    else p.source end as source,
  p.source = 'authoritative' as verified, p.property_count::double as property_count,
  p.agent_count::double as agent_count
from listed p`

/** All properties that lists show, in their order. */
export const listedProperties = `${LISTED_PROPERTIES} ${PROPERTY_ITEM} order by p.property_rid`

export type PropertyItemRow = PropertyItem & { id: string | null }

export function toPropertyListItem({ id, ...row }: PropertyItemRow): PropertyItem {
  return id === null ? row : { id, ...row }
}

/** Sources of properties, each by the number that the flags hold. */
export const propertySources = Object.keys(catalogSources)

/** Packs the counted and filtered facts of a property into eight bits. */
export function packPropertyFlags({ source }: PropertyItem): number {
  return propertySources.indexOf(source)
}
