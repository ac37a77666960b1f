-- Which authorizations depend on the least fresh files?
select p.domain as publisher_domain, p.agent_count as agents, h.state, h.outcome as last_outcome,
  h.succeeded_at as last_read_at, h.age_seconds // 3600 as hours_ago
from publishers p
join crawl_health h on h.kind = 'adagents.json' and h.location = p.resolved_location
where p.agent_count > 0
order by h.age_seconds desc nulls first, agents desc, p.domain
limit 20
