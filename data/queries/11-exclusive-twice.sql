-- Which properties are granted exclusively, but to more than one agent?
with granted as (
  select publisher_domain, property_rid, any_value(property_name) as property_name,
    list(distinct agent_url) filter (exclusive) as exclusive_agents,
    count(distinct agent_url) as agents
  from grants_flat
  where property_rid is not null
  group by all
)
select publisher_domain, property_name, exclusive_agents, agents as all_agents
from granted
where len(exclusive_agents) > 0 and agents > 1
order by agents desc, publisher_domain, property_name
limit 20
