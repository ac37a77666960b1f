-- key: day, kind, outcome
-- takedown: keeps, since it names no domain
create table if not exists crawl_days (
  day date not null,
  kind varchar not null, -- published as enum source_kind
  outcome varchar not null, -- published as enum outcome
  attempts ubigint not null,
  seq bigint not null
);
comment on table crawl_days is 'Attempts to read files, counted by day and outcome, without domains. Days are kept for two years.';
comment on column crawl_days.day is 'UTC day of the attempts';
comment on column crawl_days.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column crawl_days.outcome is 'outcome of the attempts, such as ok or timeout';
comment on column crawl_days.attempts is 'number of attempts';
comment on column crawl_days.seq is 'commit that counted last';
