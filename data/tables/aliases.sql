-- key: alias_rid
-- index: canonical_rid
-- index: seq
-- takedown: erases merges of deleted records (writer/takedown/deleted-rows.ts)
create table if not exists aliases (
  kind varchar not null,
  alias_rid uuid not null,
  canonical_rid uuid not null,
  evidence varchar,
  merged_at timestamptz not null,
  seq bigint not null
);
comment on table aliases is 'Duplicate records that people merged. A request for an alias returns the canonical record; a merge is permanent.';
comment on column aliases.kind is 'property or collection';
comment on column aliases.alias_rid is 'rid of the merged record, which is kept with the status removed';
comment on column aliases.canonical_rid is 'rid of the canonical record, never an alias itself';
comment on column aliases.evidence is 'why the two records are the same; null if no reason was given';
comment on column aliases.merged_at is 'when the two records were merged (UTC)';
comment on column aliases.seq is 'commit that last touched the row';
