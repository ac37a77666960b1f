-- key: crawl_request_id
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
  files json not null,
  seq bigint not null
);
comment on table crawl_requests is 'Crawls that people asked for, and what came of them. Who asked stands elsewhere.';
comment on column crawl_requests.crawl_request_id is 'chosen by who asked';
comment on column crawl_requests.scope is 'domain (both files), brand (brand.json) or manager (the adagents.json others point to)';
comment on column crawl_requests.domain is 'whose files are asked for';
comment on column crawl_requests.status is 'queued, running, retrying, deferred, completed, invalid or failed';
comment on column crawl_requests.attempts is 'attempts of the file that took most';
comment on column crawl_requests.requested_at is 'when it was taken';
comment on column crawl_requests.requested_seq is 'commit that took it; only attempts begun after it count';
comment on column crawl_requests.started_at is 'first attempt that counts';
comment on column crawl_requests.last_attempted_at is 'last attempt that counts';
comment on column crawl_requests.completed_at is 'when it was over, whatever came of it';
comment on column crawl_requests.next_attempt_at is 'when what did not answer is asked again';
comment on column crawl_requests.last_error_code is 'what is wrong with the file that holds it up, or did in the end';
comment on column crawl_requests.publishers is 'publishers whose answer depends on a manager''s file, when it was asked for';
comment on column crawl_requests.files is 'files that must be read and how far each is: the domain''s own and those they lead to';
comment on column crawl_requests.seq is 'commit that last touched the row';
