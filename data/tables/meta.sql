-- bookkeeping
-- takedown: keeps, since it names no domain
create table if not exists meta (
  format integer not null,
  fence bigint not null,
  seq bigint not null,
  committed_at timestamptz,
  last_event_id uuid
);
comment on table meta is 'One row: the last commit of the index.';
comment on column meta.format is 'format of the tables of the index';
comment on column meta.fence is 'number of the writer that holds the lease; each commit checks it';
comment on column meta.seq is 'number of the last commit; it rises by one';
comment on column meta.committed_at is 'time of the last commit (UTC)';
comment on column meta.last_event_id is 'highest event id ever issued';
