-- key: alias_rid
-- index: canonical_rid
-- index: seq
create table if not exists aliases (
  kind varchar not null,
  alias_rid uuid not null,
  canonical_rid uuid not null,
  evidence varchar,
  merged_at timestamptz not null,
  seq bigint not null
);
comment on table aliases is 'Records that people found to be the same: the alias answers with the canonical one for ever.';
comment on column aliases.kind is 'property or collection';
comment on column aliases.alias_rid is 'rid that was merged; its record is removed and stays';
comment on column aliases.canonical_rid is 'rid that answers for it, never an alias itself';
comment on column aliases.evidence is 'why they are the same, in words; null where nobody said';
comment on column aliases.merged_at is 'when';
comment on column aliases.seq is 'commit that last touched the row';
