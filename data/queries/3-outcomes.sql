-- What were the daily crawl results by file type?
select day, kind, outcome, attempts,
  round(100 * attempts / sum(attempts) over (partition by day, kind), 1) as percent
from crawl_days
order by day desc, kind, attempts desc, outcome
limit 100
