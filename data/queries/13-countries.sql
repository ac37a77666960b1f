-- Which countries are authorizations limited to?
with reach as (
  select agent_url, publisher_domain, unnest(coalesce(countries, ['no limit'])) as country
  from authorizations
  where in_force
)
select country, count(distinct agent_url) as agents, count(distinct publisher_domain) as publishers
from reach
group by all
order by publishers desc, country
limit 50
