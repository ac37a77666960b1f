-- Which agents reach the same publishers?
with reach as (select distinct agent_url, publisher_domain from authorizations where in_force)
select a.agent_url, b.agent_url as other_agent, count(*) as shared_publishers,
  round(100 * count(*) / any_value(r.publisher_count), 1) as percent_of_the_first
from reach a
join reach b on b.publisher_domain = a.publisher_domain and b.agent_url <> a.agent_url
join agents r on r.agent_url = a.agent_url
group by all
order by shared_publishers desc, percent_of_the_first desc, a.agent_url, other_agent
limit 20
