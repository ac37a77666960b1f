create table if not exists quarantine (
  kind varchar not null,
  location varchar not null,
  observed_at timestamptz not null,
  reason varchar not null,
  seq bigint not null
);
comment on table quarantine is 'Observations that could not be taken in; they stop nobody.';
comment on column quarantine.kind is 'kind of the file';
comment on column quarantine.location is 'its location';
comment on column quarantine.observed_at is 'when it was fetched';
comment on column quarantine.reason is 'what went wrong';
comment on column quarantine.seq is 'commit that set it aside';
