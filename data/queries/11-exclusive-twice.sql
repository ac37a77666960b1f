-- Which inventory is granted exclusively, and to others as well?
with granted as (
  select publisher_domain, property_rid, any_value(property_name) as property,
    list(distinct agent_url) filter (exclusive) as exclusive_agents,
    count(distinct agent_url) as agents
  from grants_flat
  where property_rid is not null
  group by all
)
select publisher_domain, property, exclusive_agents, agents
from granted
where len(exclusive_agents) > 0 and agents > 1
order by agents desc, publisher_domain, property
limit 20
