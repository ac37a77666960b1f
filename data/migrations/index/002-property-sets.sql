-- Properties that grants reach stand once, in property_sets, instead of in a list at each grant.
-- The id of a set is the SHA-256 of its publisher and its sorted properties, as a UUID of version 8.
drop table if exists property_sets;
create table property_sets (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
-- One grant of each list: long lists are read, and never kept for each grant.
create temp table firsts as
select publisher_domain, hash(property_rids) as list, min(id) as id from authorizations
where len(property_rids) > 0 group by all;
create temp table reached as
with sorted as (
  select f.publisher_domain, f.list,
    list_sort(list_distinct(list_transform(a.property_rids, lambda rid: rid::varchar))) as rids
  from authorizations a join firsts f on f.id = a.id
), hashed as (
  select *, sha256(publisher_domain || chr(10) || array_to_string(rids, chr(10))) as hash
  from sorted
)
select publisher_domain, list, rids::uuid[] as property_rids,
  (hash[1:12] || '8' || hash[14:16]
    || '89ab89ab89ab89ab'[strpos('0123456789abcdef', hash[17])] || hash[18:32])::uuid as set_id
from hashed;
insert into property_sets
select set_id, any_value(publisher_domain), any_value(property_rids) from reached group by set_id;

create table new_authorizations (
  id uuid not null,
  agent_url varchar not null,
  publisher_domain varchar not null,
  entry uinteger not null,
  authorization_type varchar not null,
  authorized_for varchar,
  property_set uuid,
  property_count uinteger not null,
  publisher_wide boolean not null,
  property_ids varchar[],
  property_tags varchar[],
  publisher_properties json,
  signal_ids varchar[],
  signal_tags varchar[],
  placement_ids varchar[],
  placement_tags varchar[],
  collections json,
  delegation_type varchar,
  exclusive boolean,
  countries varchar[],
  effective_from varchar,
  effective_until varchar,
  in_force boolean not null,
  signing_keys json,
  discovery_method varchar not null,
  manager_domain varchar,
  granted_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
insert into new_authorizations by name
select
  a.id, a.agent_url, a.publisher_domain, a.entry, a.authorization_type, a.authorized_for,
  a.publisher_wide, a.property_ids, a.property_tags, a.publisher_properties, a.signal_ids,
  a.signal_tags, a.placement_ids, a.placement_tags, a.collections, a.delegation_type,
  a.exclusive, a.countries, a.effective_from, a.effective_until, a.in_force, a.signing_keys,
  a.discovery_method, a.manager_domain, a.granted_at, a.changed_at, a.seq,
  r.set_id as property_set, coalesce(r.count, 0) as property_count
from (select *, hash(property_rids) as list from authorizations) a
left join (select publisher_domain, list, set_id, len(property_rids) as count from reached) r
  on r.publisher_domain = a.publisher_domain and r.list = a.list;
drop table reached;
drop table firsts;
drop table authorizations;
alter table new_authorizations rename to authorizations;

alter table agent_profiles add column if not exists delivery_types varchar[];
alter table agent_profiles add column if not exists format_kinds varchar[];
alter table agents add column if not exists declared_channels varchar[];
alter table agents add column if not exists implied_channels varchar[];
alter table agents add column if not exists categories varchar[];
alter table agents add column if not exists category_taxonomy varchar;
alter table brands add column if not exists resolved_location varchar;
alter table claims add column if not exists inline_properties json;
alter table properties add column if not exists inline_only boolean;
alter table properties add column if not exists categories varchar[];
alter table properties add column if not exists category_taxonomy varchar;
alter table publishers add column if not exists listed_agents varchar[];
alter table publishers add column if not exists reach_format utinyint;
