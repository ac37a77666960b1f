-- How did the last attempts to read each kind of file end?
select kind, outcome, count(*) as files
from crawl_state
where attempted_at is not null
group by all
order by kind, files desc
