create or replace view supply_path as
with declared as (
  select distinct d.agent_url, d.location as operator_file, pd.relationship, pd.identifier_key
  from agent_declarations d join property_declarations pd on pd.location = d.location
), related as (
  select p.publisher_domain, d.agent_url, d.operator_file,
    list_sort(list(distinct d.relationship)) as operator_relationships
  from declared d
  join (select publisher_domain, unnest(identifier_keys).value as identifier_key
    from properties where status = 'active') p using (identifier_key)
  group by all
), granted as (
  select publisher_domain, manager_domain, discovery_method, agent_url, delegation_type,
    count(*)::uinteger as grants,
    coalesce(bool_or(exclusive), false) as exclusive,
    coalesce(bool_or(publisher_wide), false) as publisher_wide
  from authorizations where in_force group by all
), contradicted as (
  select publisher_domain, manager_domain, agent_url, delegation_type,
    count(distinct property_rid)::uinteger as properties
  from agent_contradictions group by all
), stale as (
  select publisher_domain, manager_domain, agent_url, delegation_type,
    count(distinct property_rid)::uinteger as properties
  from grants_flat where property_status = 'stale' group by all
)
select
  g.publisher_domain,
  b.brand_name as publisher_brand,
  if(b.relationship_trust = 'house_only', null, b.house_domain) as publisher_house,
  g.discovery_method,
  g.manager_domain,
  g.agent_url,
  g.delegation_type,
  a.location as operator_file,
  r.operator_relationships,
  g.grants,
  g.exclusive,
  g.publisher_wide,
  (1 + (g.manager_domain is not null)::utinyint)::utinyint as hops,
  coalesce(c.properties, 0)::uinteger as properties_contradicted,
  coalesce(s.properties, 0)::uinteger as properties_stale
from granted g
left join brands b on b.domain = g.publisher_domain
left join (select distinct agent_url, location from agent_declarations) a
  on a.agent_url = g.agent_url
left join related r on r.publisher_domain = g.publisher_domain
  and r.agent_url = g.agent_url and r.operator_file = a.location
left join contradicted c on c.publisher_domain = g.publisher_domain
  and c.agent_url = g.agent_url and c.manager_domain is not distinct from g.manager_domain
  and c.delegation_type is not distinct from g.delegation_type
left join stale s on s.publisher_domain = g.publisher_domain
  and s.agent_url = g.agent_url and s.manager_domain is not distinct from g.manager_domain
  and s.delegation_type is not distinct from g.delegation_type;
comment on view supply_path is 'How inventory gets from publishers to agents: one row for each publisher, manager and agent with a grant in force, by delegation type, and for each brand.json that names the agent.';
comment on column supply_path.publisher_domain is 'domain of the publisher that owns the inventory and made the grants';
comment on column supply_path.publisher_brand is 'name of the publisher’s brand; null if unknown';
comment on column supply_path.publisher_house is 'confirmed house of the publisher’s brand; null if there is none';
comment on column supply_path.discovery_method is 'how the file was found';
comment on column supply_path.manager_domain is 'domain that manages the publisher’s file; null if the publisher does so itself';
comment on column supply_path.agent_url is 'normalized URL of the agent to which it is granted';
comment on column supply_path.delegation_type is 'direct, delegated or ad_network, as the publisher says; null if the file does not say';
comment on column supply_path.operator_file is 'location of the operator’s brand.json that names the agent: a domain (for its well-known address) or an https URL; null if none does';
comment on column supply_path.operator_relationships is 'relationships to properties of the publisher that the file declares, sorted: owned, direct, delegated, ad_network; null if it declares none';
comment on column supply_path.grants is 'number of grants in force that take this path';
comment on column supply_path.exclusive is 'whether one of these grants is exclusive';
comment on column supply_path.publisher_wide is 'whether one of these grants reaches all active properties of the publisher';
comment on column supply_path.hops is 'number of parties after the publisher: 1 for the agent, 2 with a manager in between';
comment on column supply_path.properties_contradicted is 'number of granted properties that the agent cannot sell, because its operator says otherwise';
comment on column supply_path.properties_stale is 'number of granted properties that the agent cannot sell now, because they are stale: all of them once the publisher’s file is gone (404)';
