import { propertyTypes } from '../../model/documents/index.ts'
import { hasAliases } from '../../store/aliases.ts'
import type { Database } from '../../store/database.ts'

const KNOWN_TYPES = propertyTypes.map(type => `'${type}'`).join()

const ADD_MERGED = `with mergers as (
  select distinct publisher_domain from aliases join properties on property_rid = alias_rid),
named as (
  select g.agent_url, g.publisher_domain, r.value as property_rid
  from (select distinct agent_url, publisher_domain, property_set from authorizations
    where publisher_domain in (select publisher_domain from mergers)
      and agent_url in (select agent_url from reached) and in_force) g
  join property_sets s on s.set_id = g.property_set, json_each(s.property_rids) r),
merged as (
  select distinct n.agent_url, p.publisher_domain, p.property_rid, p.property_type, p.channels,
    p.supported_channels, p.categories, p.category_taxonomy, p.tags
  from named n join properties p using (property_rid)
  where n.publisher_domain != p.publisher_domain and p.status = 'active'),
extra as materialized (
  select * from merged m where not exists (
    select 1 from authorizations o join property_sets s on s.set_id = o.property_set
    where o.publisher_domain = m.publisher_domain and o.agent_url = m.agent_url and o.in_force
      and m.property_rid in (select value from json_each(s.property_rids))))
select agent_url, 'property', '', 1 from extra
union all select agent_url, 'property_type', property_type, 1 from extra
  where property_type in (${KNOWN_TYPES})
union all select agent_url, 'channel', value, 1 from extra, json_each(channels)
union all select agent_url, 'declared_channel', value, 1 from extra, json_each(supported_channels)
union all select agent_url, 'category', value, 1 from extra, json_each(categories)
union all select agent_url, 'taxonomy', coalesce(category_taxonomy, ''), 1 from extra
  where json_array_length(categories) > 0
union all select agent_url, 'tag', value, 1 from extra, json_each(tags)`

/**
 * Adds to the temporary table `counted` the properties that agents reach only by grants of
 * publishers whose own property was merged into them: what is counted by publisher are the
 * publisher's own.
 */
export async function addMergedReach(db: Database): Promise<void> {
  if (await hasAliases(db)) await db.write('insert into', 'counted', ADD_MERGED)
}
