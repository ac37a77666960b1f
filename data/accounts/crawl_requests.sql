-- takedown: deletes by domain
create table if not exists crawl_requests (
  crawl_request_id varchar not null,
  scope varchar not null,
  domain varchar not null,
  requested_by varchar not null,
  org_id varchar,
  requested_at timestamptz not null,
  seq bigint not null
);
create index if not exists crawl_requests_by_crawl_request_id on crawl_requests (crawl_request_id);
create index if not exists crawl_requests_by_domain on crawl_requests (domain);
create index if not exists crawl_requests_by_seq on crawl_requests (seq);
