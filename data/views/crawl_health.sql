create or replace view crawl_health as
select
  c.kind,
  c.location,
  regexp_extract(c.location, '^(?:https?://)?([^/:]+)', 1) as host,
  case when c.attempted_at is null then 'never_crawled' when c.failures > 0 then 'failing'
    when c.effect = 'absent' then 'absent' when c.effect in ('unusable', 'garbled') then 'invalid'
    when c.effect = 'unreachable' then 'failing'
    when epoch_ms(m.committed_at) - epoch_ms(c.succeeded_at) > 48 * 3_600_000 then 'stale'
    else 'current' end as state,
  c.outcome,
  c.status as http_status,
  c.failures,
  c.attempted_at,
  c.succeeded_at,
  (epoch_ms(m.committed_at) - epoch_ms(c.succeeded_at)) // 1000 as age_seconds,
  c.due_at,
  greatest(0, (epoch_ms(m.committed_at) - epoch_ms(c.due_at)) // 1000) as overdue_seconds,
  d.bytes,
  d.fault_count,
  c.took_ms
from crawl_state c
cross join internal.meta m
left join documents d on d.kind = c.kind and d.location = c.location;
comment on view crawl_health is 'How well the registry can read what it crawls: one row for each file and each agent. Ages are as of the commit that the snapshot shows.';
comment on column crawl_health.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column crawl_health.location is 'a domain (for its well-known address), an https URL, or the normalized URL of an agent';
comment on column crawl_health.host is 'host name in the location';
comment on column crawl_health.state is 'never_crawled; current: read within 48 hours; stale: last read before that; failing: the last attempt got no response; absent: there is no such file; invalid: the file cannot be read. A file that can be read is current here even if pages and the API call it invalid: a brand.json whose houses lead in a circle, or an adagents.json with publishers.valid = false';
comment on column crawl_health.outcome is 'outcome of the last attempt, such as ok or timeout; null before the first';
comment on column crawl_health.http_status is 'HTTP status of the last attempt; null if no server responded';
comment on column crawl_health.failures is 'number of attempts without a response since the last response';
comment on column crawl_health.attempted_at is 'last attempt (UTC)';
comment on column crawl_health.succeeded_at is 'last attempt that read the file or found it unchanged (UTC)';
comment on column crawl_health.age_seconds is 'seconds since the last success';
comment on column crawl_health.due_at is 'when the file is fetched next (UTC); null for an agent that no file names anymore';
comment on column crawl_health.overdue_seconds is 'seconds since the fetch was due; 0 if it is not due yet';
comment on column crawl_health.bytes is 'size of the stored document in bytes, after decompression; null if there is none';
comment on column crawl_health.fault_count is 'number of issues in the stored document; null if there is none';
comment on column crawl_health.took_ms is 'milliseconds until an agent had listed its tools or failed to; null for files';
