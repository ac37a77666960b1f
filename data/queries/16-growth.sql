-- How fast is the number of publishers growing?
with days as (
  select utc_time(discovered_at)::date as day, count(*) as publishers
  from publishers
  group by all
)
select day, publishers as new_publishers, sum(publishers) over (order by day)::bigint as all_publishers
from days
order by day desc
limit 60
