import { anyAliases } from './aliases.ts'
import type { Database } from './duckdb.ts'

const ADD_MERGED = `
insert into counted
with mergers as (
  select distinct publisher_domain from aliases join properties on property_rid = alias_rid),
named as (
  select agent_url, publisher_domain, unnest(property_rids) as property_rid
  from authorizations semi join mergers using (publisher_domain)
  semi join (select distinct agent_url from reached) using (agent_url) where in_force),
merged as (
  select distinct n.agent_url, p.publisher_domain, p.property_rid, p.property_type, p.channels, p.tags
  from named n join properties p using (property_rid)
  where n.publisher_domain != p.publisher_domain and p.status = 'active'),
extra as (
  select * from merged m where not exists (
    select 1 from authorizations o
    where o.publisher_domain = m.publisher_domain and o.agent_url = m.agent_url and o.in_force
      and list_contains(o.property_rids, m.property_rid)))
select agent_url, 'property', '', 1 from extra
union all select agent_url, 'property_type', property_type, 1 from extra
union all select agent_url, 'channel', unnest(channels), 1 from extra
union all select agent_url, 'tag', unnest(tags), 1 from extra`

/**
 * Adds to the temporary table `counted` the properties that agents reach only by grants of
 * publishers whose own property was merged into them: what is counted by publisher are the
 * publisher's own.
 */
export async function addMergedReach(db: Database): Promise<void> {
  if (await anyAliases(db)) await db.run(ADD_MERGED)
}
