-- How many hands does inventory pass through before an agent sells it?
select hops, coalesce(delegation_type, 'not stated') as delegation, manager_domain is not null as has_manager,
  count(distinct publisher_domain) as publishers, count(distinct agent_url) as agents
from supply_path
group by all
order by publishers desc, hops, delegation, has_manager
