-- key: night
create table if not exists nights (
  night timestamptz not null,
  publishers ubigint not null,
  losses ubigint not null,
  taken ubigint not null
);
comment on table nights is 'What each night took, from one time of CRAWL_SCHEDULE to the next: what is usual, and when it is too much.';
comment on column nights.night is 'the time of CRAWL_SCHEDULE that it began with';
comment on column nights.publishers is 'publishers whose answers would take grants or properties; one that loses twice counts twice';
comment on column nights.losses is 'grants and active properties that these answers would take';
comment on column nights.taken is 'how many of them were taken and not held back';
