-- What do publishers get wrong most often?
with faults as (
  select kind, unnest(regexp_extract_all(faults::varchar, '"code":"(\w+)"', 1)) as code
  from documents
)
select kind, code, count(*) as times
from faults
group by all
order by times desc, kind, code
limit 20
