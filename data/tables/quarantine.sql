create table if not exists quarantine (
  kind varchar not null,
  location varchar not null,
  observed_at timestamptz not null,
  reason varchar not null,
  seq bigint not null
);
comment on table quarantine is 'Observations that could not be taken in, and subjects whose answer could not be made; they stop nobody.';
comment on column quarantine.kind is 'kind of the file, or part of the projection';
comment on column quarantine.location is 'its location, or the subject';
comment on column quarantine.observed_at is 'when it was fetched, or failed';
comment on column quarantine.reason is 'what went wrong; not_projected: the old answer stands until one can be made';
comment on column quarantine.seq is 'commit that set it aside';
