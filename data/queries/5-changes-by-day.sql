-- What changed on each day?
select created_at::timestamp::date as day, event_type, count(*) as events
from events
group by all
order by day desc, events desc
limit 100
