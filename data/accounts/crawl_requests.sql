create table if not exists crawl_requests (
  crawl_request_id varchar not null,
  scope varchar not null,
  domain varchar not null,
  requested_by varchar not null,
  org_id varchar,
  requested_at timestamptz not null,
  seq bigint not null
);
