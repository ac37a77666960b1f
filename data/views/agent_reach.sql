create or replace view agent_reach as
with granted as (
  select agent_url,
    count(distinct publisher_domain) filter (delegation_type = 'direct') as direct,
    count(distinct publisher_domain) filter (delegation_type = 'delegated') as delegated,
    count(distinct publisher_domain) filter (delegation_type = 'ad_network') as ad_network,
    count(distinct publisher_domain) filter (manager_domain is not null) as managed,
    count(distinct publisher_domain) filter (exclusive) as exclusive
  from authorizations where in_force group by agent_url
), contradicted as (
  select agent_url, count(distinct publisher_domain) as publishers
  from agent_contradictions group by agent_url
)
select
  a.agent_url,
  f.name,
  coalesce(f.type, 'unknown') as type,
  coalesce(f.protocols, []) as protocols,
  s.status as standing,
  a.publisher_count as publishers,
  a.property_count as properties,
  coalesce(g.direct, 0)::uinteger as direct_publishers,
  coalesce(g.delegated, 0)::uinteger as delegated_publishers,
  coalesce(g.ad_network, 0)::uinteger as ad_network_publishers,
  coalesce(g.managed, 0)::uinteger as managed_publishers,
  coalesce(g.exclusive, 0)::uinteger as exclusive_publishers,
  a.property_types,
  a.channels,
  a.markets,
  a.categories,
  c.outcome as last_outcome,
  c.outcome in ({successful_outcomes}) as is_alive,
  c.succeeded_at as answered_at,
  c.took_ms,
  a.discovered_at,
  coalesce(n.publishers, 0)::uinteger as contradicted_publishers
from agents a
left join agent_profiles f on f.agent_url = a.agent_url
left join agent_standings s on s.agent_url = a.agent_url
left join granted g on g.agent_url = a.agent_url
left join contradicted n on n.agent_url = a.agent_url
left join crawl_state c on c.kind = 'agent' and c.location = a.agent_url;
comment on view agent_reach is 'What publishers grant each agent, and whether it is online: one row for each agent that publishers list. Counts cover grants in force, including those that the agent’s operator contradicts.';
comment on column agent_reach.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_reach.name is 'name that the agent gives itself; null until it was first reached';
comment on column agent_reach.type is 'brand, rights, measurement, governance, creative, sales, buying, signals or unknown';
comment on column agent_reach.protocols is 'protocols that the agent speaks: mcp, a2a; empty until it was first reached';
comment on column agent_reach.standing is 'test status: passing, degraded, failing, unknown or opted_out; null if the agent is not tested';
comment on column agent_reach.publishers is 'number of publishers that grant the agent anything, as agents.publisher_count';
comment on column agent_reach.properties is 'number of active properties that the agent reaches, as agents.property_count';
comment on column agent_reach.direct_publishers is 'number of publishers that authorize the agent directly';
comment on column agent_reach.delegated_publishers is 'number of publishers that delegate to the agent';
comment on column agent_reach.ad_network_publishers is 'number of publishers that sell through the agent as an ad network';
comment on column agent_reach.managed_publishers is 'number of publishers whose file another domain manages';
comment on column agent_reach.exclusive_publishers is 'number of publishers that grant the agent something exclusively';
comment on column agent_reach.property_types is 'types of the properties that the agent reaches, sorted';
comment on column agent_reach.channels is 'channels of the properties that the agent reaches, sorted';
comment on column agent_reach.markets is 'ISO 3166 codes of countries that the agent’s grants name, sorted; empty if none names any';
comment on column agent_reach.categories is 'content categories of what the agent reaches, as publishers write them, sorted';
comment on column agent_reach.last_outcome is 'outcome of the last attempt to reach the agent, such as ok or timeout';
comment on column agent_reach.is_alive is 'whether the agent responded to the last attempt, even if only to require a credential (last_outcome needs_auth), like health.online in the API; null before the first attempt';
comment on column agent_reach.answered_at is 'when the agent last responded (UTC)';
comment on column agent_reach.took_ms is 'milliseconds until the agent had listed its tools or failed to';
comment on column agent_reach.discovered_at is 'when the registry first saw the agent in any file (UTC)';
comment on column agent_reach.contradicted_publishers is 'number of publishers with a grant that the agent’s operator contradicts; agent_contradictions lists which. Do not subtract this number from publishers, because the agent can still sell their other properties: instead count publishers in grants_flat where operator_side is not contradicted and property_status is not stale';
