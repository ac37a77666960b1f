-- What changed on each day?
select utc_time(created_at)::date as day, event_type, count(*) as events
from events
group by all
order by day desc, events desc
limit 100
