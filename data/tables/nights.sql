-- key: night
create table if not exists nights (
  night timestamptz not null,
  publishers ubigint not null,
  losses ubigint not null,
  taken ubigint not null
);
comment on table nights is 'Losses of each night, from one time of CRAWL_SCHEDULE to the next. The brake compares a night with those before it.';
comment on column nights.night is 'the time of CRAWL_SCHEDULE that it began with';
comment on column nights.publishers is 'publishers whose answers would remove grants or properties; one that loses twice counts twice';
comment on column nights.losses is 'grants and active properties that these answers would take';
comment on column nights.taken is 'number of these losses that were applied and not held back';
