-- key: crawl_request_id
-- index: seq
-- index: domain
-- stored as: shown_crawl_requests
-- takedown: deletes by domain
create table if not exists crawl_requests (
  crawl_request_id varchar not null,
  scope varchar not null, -- published as enum crawl_scope
  domain varchar not null,
  status varchar not null, -- published as enum crawl_status
  attempts utinyint not null,
  requested_at timestamptz not null,
  requested_seq bigint not null,
  started_at timestamptz,
  last_attempted_at timestamptz,
  completed_at timestamptz,
  next_attempt_at timestamptz,
  last_error_code varchar,
  publishers uinteger,
  files json not null, -- published as struct(kind varchar, location varchar, attempts uinteger, outcome varchar, http_status usmallint, attempted_at timestamptz, next_attempt_at timestamptz, deferred boolean)[]
  seq bigint not null
);
comment on table crawl_requests is 'Crawls that people requested, and their results. Who requested them is stored elsewhere.';
comment on column crawl_requests.crawl_request_id is 'id chosen by the caller';
comment on column crawl_requests.scope is 'domain (both files), brand (brand.json) or manager (the adagents.json others point to)';
comment on column crawl_requests.domain is 'domain whose files are requested';
comment on column crawl_requests.status is 'queued, running, retrying, deferred, completed, invalid or failed';
comment on column crawl_requests.attempts is 'number of attempts for the file that needed the most';
comment on column crawl_requests.requested_at is 'time at which the request was accepted (UTC)';
comment on column crawl_requests.requested_seq is 'commit that accepted the request; only attempts that began later count';
comment on column crawl_requests.started_at is 'first attempt that counts (UTC); null if there was none';
comment on column crawl_requests.last_attempted_at is 'last attempt that counts (UTC); null before the first';
comment on column crawl_requests.completed_at is 'time at which the request ended, with or without success (UTC); null before';
comment on column crawl_requests.next_attempt_at is 'time at which files that did not respond are tried again (UTC); null if none is';
comment on column crawl_requests.last_error_code is 'error of the file that delays the request, or that made it fail; null if there is none';
comment on column crawl_requests.publishers is 'number of publishers whose answer depends on the manager’s file, at the time of the request; null for other scopes';
comment on column crawl_requests.files is 'files that must be read, with the progress of each: the domain’s own, and those they point to';
comment on column crawl_requests.seq is 'commit that last touched the row';
