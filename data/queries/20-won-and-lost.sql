-- Which agents won and lost publishers within the last seven days?
with past as (select as_of::timestamp - interval 7 days as since from data_set),
sales as (
  select agent_url, publisher_domain, bool_or(valid_to is null) as is_authorized,
    min(granted_at)::timestamp as granted_at, max(valid_to)::timestamp as ended_at
  from authorizations_history
  where in_force
  group by all
)
select agent_url, count(*) filter (not is_authorized and ended_at > since) as lost,
  count(*) filter (is_authorized and granted_at > since) as won,
  list_sort(list(publisher_domain) filter (not is_authorized and ended_at > since))[1:5] as lost_for_example
from sales, past
group by all
having lost + won > 0
order by lost desc, won desc, agent_url
limit 20
