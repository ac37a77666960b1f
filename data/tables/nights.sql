-- key: night
-- takedown: keeps, since it names no domain
create table if not exists nights (
  night timestamptz not null,
  publishers ubigint not null,
  losses ubigint not null,
  taken ubigint not null
);
comment on table nights is 'Grants and properties removed each night, from one start of the scheduled crawl to the next. If a night would remove far more than those before, further removals are held back.';
comment on column nights.night is 'when the night’s scheduled crawl began (UTC)';
comment on column nights.publishers is 'number of publishers whose answers would remove grants or properties; one with two removals counts twice';
comment on column nights.losses is 'number of grants and active properties that these answers would remove';
comment on column nights.taken is 'number of grants and active properties whose removal was applied';
