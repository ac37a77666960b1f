-- Which issues are most common?
with found as (
  select kind, location, unnest(faults, recursive := true) from documents
)
select kind, regexp_replace(field, '\[\d+\]', '[]', 'g') as field, code,
  count(distinct location) as files, min(location) as for_example
from found
group by all
order by files desc, kind, field, code
limit 20
