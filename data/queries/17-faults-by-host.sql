-- Who serves the files with the most faults?
with files as (
  select regexp_extract(coalesce(d.resolved_url, d.location), '^(?:https?://)?(?:www\.)?([^/:]+)', 1) as served_by,
    d.fault_count
  from documents d
  where d.kind in ('brand.json', 'adagents.json')
)
select served_by, count(*) as files, count(*) filter (fault_count > 0) as with_faults,
  sum(fault_count)::bigint as faults
from files
group by all
having faults > 0
order by faults desc, served_by
limit 20
