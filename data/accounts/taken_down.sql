create table if not exists taken_down (
  domain varchar not null,
  reason varchar,
  taken_down_at timestamptz not null,
  cleared_at timestamptz,
  seq bigint not null
);
comment on table taken_down is 'Domains that the registry may say nothing of. They stand here and in no other store.';
comment on column taken_down.domain is 'the domain; those below it are meant too';
comment on column taken_down.reason is 'why, in the words of whoever took it down';
comment on column taken_down.taken_down_at is 'since when';
comment on column taken_down.cleared_at is 'when the last copy was deleted; null until then';
comment on column taken_down.seq is 'commit that last touched the row';
