-- What do publishers get wrong most often?
with found as (
  select kind, unnest(faults).code as code
  from documents
)
select kind, code, count(*) as times
from found
group by all
order by times desc, kind, code
limit 20
