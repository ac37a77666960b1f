-- key: location, kind
-- noted by: priority
-- index: location where kind = 'agent'
-- index: if(kind = 'agent', min(priority, 1), priority), if(priority = 0, due_at, due_at / 3600000 * 3600000) where due_at is not null
-- index: turns_at where turns_at is not null
-- takedown: deletes by location
create table if not exists crawl_state (
  kind varchar not null, -- published as enum source_kind
  location varchar not null,
  priority utinyint not null,
  outcome varchar, -- published as enum outcome
  effect varchar, -- published as enum effect
  status usmallint,
  streak uinteger not null,
  streak_since timestamptz,
  failures utinyint not null default 0,
  attempted_at timestamptz,
  succeeded_at timestamptz,
  due_at timestamptz,
  stale_at timestamptz,
  ended_at timestamptz,
  absent_at timestamptz,
  turns_at timestamptz,
  etag varchar,
  last_modified varchar,
  hash varchar,
  took_ms uinteger,
  requested boolean not null,
  seq bigint not null
);
comment on table crawl_state is 'Files on the web, one row each, with the results of the latest attempts to read them.';
comment on column crawl_state.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column crawl_state.location is 'a domain (for its well-known address), an https URL, or the normalized URL of an agent';
comment on column crawl_state.priority is '0: requested; 1: another document points there; 2: added by the registry’s operator; 3: only mentioned';
comment on column crawl_state.outcome is 'outcome of the last attempt; null before the first';
comment on column crawl_state.effect is 'effect of the last response on the stored state: success, absent (not found), unusable or garbled (invalid), unreachable; an attempt without a response does not change it; null before the first response';
comment on column crawl_state.status is 'HTTP status of the last attempt; null if no server responded';
comment on column crawl_state.streak is 'consecutive responses with the same effect; 1 after a change of the file';
comment on column crawl_state.streak_since is 'time of the first response of the streak (UTC); null before it';
comment on column crawl_state.failures is 'number of attempts without a response since the last response';
comment on column crawl_state.attempted_at is 'last attempt (UTC); null before the first';
comment on column crawl_state.succeeded_at is 'last attempt that read the file or found it unchanged (UTC); null before the first';
comment on column crawl_state.due_at is 'when the file is fetched next (UTC); null for an agent that no file names anymore';
comment on column crawl_state.stale_at is 'time from which properties read from the file are stale (UTC); null where it was never read';
comment on column crawl_state.ended_at is 'time from which grants read from the file are no longer in force (UTC); null where it was never read';
comment on column crawl_state.absent_at is 'time of the last response that the file is missing (UTC), if only other responses without a file followed; null otherwise';
comment on column crawl_state.turns_at is 'when the stored state next changes without a new response, such as to stale (UTC); null if never';
comment on column crawl_state.etag is 'ETag of the last response; null if it had none';
comment on column crawl_state.last_modified is 'Last-Modified of the last response; null if it had none';
comment on column crawl_state.hash is 'content hash of the stored document; null if there is none';
comment on column crawl_state.took_ms is 'milliseconds until an agent had listed its tools or failed to; null for files';
comment on column crawl_state.requested is 'true if a person requested the next attempt';
comment on column crawl_state.seq is 'commit that last touched the row';
