-- Which hosts serve the files with the most issues?
with files as (
  select regexp_extract(coalesce(d.resolved_url, d.location), '^(?:https?://)?(?:www\.)?([^/:]+)', 1) as served_by,
    d.fault_count
  from documents d
  where d.kind in ('brand.json', 'adagents.json')
)
select served_by, count(*) as files, count(*) filter (fault_count > 0) as with_issues,
  sum(fault_count)::bigint as issues
from files
group by all
having issues > 0
order by issues desc, served_by
limit 20
