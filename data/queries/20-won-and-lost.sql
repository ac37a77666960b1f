-- Which agents won and lost publishers in the last seven days?
-- Grants from a publisher’s first read do not count as won.
-- No rows: no publisher has added or removed an agent in this time, or since its file was first read.
with past as (
  select domain as publisher_domain,
    greatest(utc_time(min(valid_from)), utc_time(any_value(as_of)) - interval 7 days) as since
  from publishers_history, data_set
  where valid
  group by all
),
sales as (
  select agent_url, publisher_domain, bool_or(valid_to is null) as is_authorized,
    bool_or(utc_time(granted_at) <= since and coalesce(utc_time(valid_to) > since, true)) as was_authorized,
    utc_time(max(valid_to)) > any_value(since) as has_ended
  from authorizations_history join past using (publisher_domain)
  where in_force
  group by all
)
select agent_url, count(*) filter (not is_authorized and has_ended) as lost,
  count(*) filter (is_authorized and not was_authorized) as won,
  list_sort(list(publisher_domain) filter (not is_authorized and has_ended))[1:5] as lost_for_example
from sales
group by all
having lost + won > 0
order by lost desc, won desc, agent_url
limit 20
