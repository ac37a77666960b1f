-- From now on the index keeps every state of aliases. Where the event of a merge is still there, it tells what the
-- alias led to first, and the merge of that record since when it leads elsewhere.
create table internal.alias_versions (
  kind varchar not null,
  alias_rid uuid not null,
  canonical_rid uuid not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
insert into internal.alias_versions by name
with merged as (
  select a.*, (e.payload->>'canonical_rid')::uuid as first_rid, e.seq as first_seq
  from internal.aliases a left join internal.events e
    on e.event_type in ('property.merged', 'collection.merged')
      and (e.payload->>'alias_rid')::uuid = a.alias_rid)
select kind, alias_rid, first_rid as canonical_rid, merged_at as valid_from, false as ended, first_seq as seq
from merged where first_rid != canonical_rid
union all by name
select m.kind, m.alias_rid, m.canonical_rid, coalesce(later.merged_at, m.merged_at) as valid_from,
  false as ended, m.seq
from merged m left join internal.aliases later on later.alias_rid = m.first_rid and m.first_rid != m.canonical_rid;
