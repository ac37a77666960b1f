create or replace view crawl_health as
with recursive files as (
  select c.*, d.bytes, d.fault_count, d.leads_to, epoch_ms(m.committed_at) as as_of,
    case when c.attempted_at is null then 'never_crawled' when c.failures > 0 then 'failing'
      else {states_by_effect}[c.effect::varchar] end as result,
    if(result = 'current' and as_of - epoch_ms(c.succeeded_at) >= {stale_after_ms}, 'stale', result) as attempt,
    if(attempt in ('current', 'stale') and d.leads_to = '{nowhere}', 'invalid', attempt) as own
  from crawl_state c
  cross join internal.meta m
  left join documents d on d.kind = c.kind and d.location = c.location
), ways(kind, start, location, hops) as (
  select kind, location, leads_to, {hops_max}[kind::varchar] from documents
  where leads_to <> '{nowhere}'
  union all
  select w.kind, w.start, d.leads_to, w.hops - 1
  from ways w join documents d on d.kind = w.kind and d.location = w.location
  where d.leads_to <> '{nowhere}' and w.hops > 1
), states(kind, location, state) as (
  select w.kind, w.start,
    if(f.attempt in ('current', 'stale') and f.leads_to is not null and w.hops = 1, 'invalid',
      coalesce(f.own, 'never_crawled'))
  from ways w left join files f on f.kind = w.kind and f.location = w.location
  where f.own <> 'never_crawled' or not ends_with(split_part(w.location, '?', 1), {hosted_paths}[w.kind::varchar])
), weakest as (
  select kind, location, max(list_position({best_to_worst}, state)) as place from states group by all
)
select
  f.kind,
  f.location,
  regexp_extract(f.location, '^(?:https?://)?([^/:]+)', 1) as host,
  coalesce({best_to_worst}[greatest(w.place, list_position({best_to_worst}, f.own))], f.own) as state,
  f.outcome,
  f.status as http_status,
  f.failures,
  f.attempted_at,
  f.succeeded_at,
  (f.as_of - epoch_ms(f.succeeded_at)) // 1000 as age_seconds,
  f.due_at,
  greatest(0, (f.as_of - epoch_ms(f.due_at)) // 1000) as overdue_seconds,
  f.bytes,
  f.fault_count,
  f.took_ms
from files f left join weakest w on w.kind = f.kind and w.location = f.location;
comment on view crawl_health is 'How well the registry can read what it crawls: one row for each file and each agent. Ages are as of the commit that the snapshot shows.';
comment on column crawl_health.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column crawl_health.location is 'a domain (for its well-known address), an https URL, or the normalized URL of an agent';
comment on column crawl_health.host is 'host name in the location';
comment on column crawl_health.state is 'state of the file as pages and the API show it. never_crawled; current: read within 48 hours; stale: last read before that; failing: the last attempt got no response; absent: there is no such file; invalid: the file cannot be read, or it was read and cannot be used, because documents.faults say so or because it leads through too many other files (documents.leads_to). Of a file that leads to others, the state of the least fresh of them; the other columns are about the file alone';
comment on column crawl_health.outcome is 'outcome of the last attempt, such as ok or timeout; null before the first';
comment on column crawl_health.http_status is 'HTTP status of the last attempt; null if no server responded';
comment on column crawl_health.failures is 'number of attempts without a response since the last response';
comment on column crawl_health.attempted_at is 'last attempt (UTC)';
comment on column crawl_health.succeeded_at is 'last attempt that read the file or found it unchanged (UTC)';
comment on column crawl_health.age_seconds is 'seconds since the last success';
comment on column crawl_health.due_at is 'when the file is fetched next (UTC); null for an agent that no file names anymore';
comment on column crawl_health.overdue_seconds is 'seconds since the fetch was due; 0 if it is not due yet';
comment on column crawl_health.bytes is 'size of the stored document in bytes, after decompression; null if there is none';
comment on column crawl_health.fault_count is 'number of issues in the stored document; null if there is none. Where a file leads is no issue of the file: one whose pointers go in a circle may have none';
comment on column crawl_health.took_ms is 'milliseconds until an agent had listed its tools or failed to; null for files';
