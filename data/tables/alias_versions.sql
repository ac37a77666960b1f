-- key: alias_rid, seq
-- index: seq
-- takedown: erases merges of deleted records (writer/takedown/deleted-rows.ts)
create table if not exists alias_versions (
  kind varchar not null,
  alias_rid uuid not null,
  canonical_rid uuid not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
comment on table alias_versions is 'Every state of each alias: which record stood in for it, and since when.';
comment on column alias_versions.kind is 'property or collection';
comment on column alias_versions.alias_rid is 'rid that was merged';
comment on column alias_versions.canonical_rid is 'rid of the canonical record in this state';
comment on column alias_versions.valid_from is 'when this state began (UTC)';
comment on column alias_versions.ended is 'true if the row was removed; the other columns then hold its last state';
comment on column alias_versions.seq is 'commit that recorded this state';
