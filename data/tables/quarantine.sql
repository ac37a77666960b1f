-- index: location
-- takedown: deletes by location
create table if not exists quarantine (
  kind varchar not null,
  location varchar not null,
  observed_at timestamptz not null,
  reason varchar not null,
  seq bigint not null
);
comment on table quarantine is 'Results of fetches that could not be applied, and domains or agents whose response could not be built. They block nothing else.';
comment on column quarantine.kind is 'kind of the file, or part of the projection';
comment on column quarantine.location is 'location of the file, or subject of the projection';
comment on column quarantine.observed_at is 'time of the fetch, or of the failure (UTC)';
comment on column quarantine.reason is 'reason; not_projected: the previous response is served until a new one can be built';
comment on column quarantine.seq is 'commit that added the row';
