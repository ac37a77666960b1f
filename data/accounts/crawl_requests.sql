create table if not exists crawl_requests (
  crawl_request_id varchar not null,
  domain varchar not null,
  requested_by varchar not null,
  requested_at timestamptz not null,
  seq bigint not null
);
