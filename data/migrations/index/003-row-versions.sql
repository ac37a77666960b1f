-- From now on the index keeps every state that grants, properties, publishers and brands were in.
-- What stands at the time of the migration is the first state that is known.
create table if not exists authorization_versions (
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
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
insert into authorization_versions by name
select id, agent_url, publisher_domain, entry, authorization_type, authorized_for, property_set, property_count, publisher_wide, property_ids, property_tags, publisher_properties, signal_ids, signal_tags, placement_ids, placement_tags, collections, delegation_type, exclusive, countries, effective_from, effective_until, in_force, signing_keys, discovery_method, manager_domain, granted_at, authorizations.seq,
  (select coalesce(committed_at, now()) from meta) as valid_from, false as ended
from authorizations;
create table if not exists property_versions (
  property_rid uuid not null,
  publisher_domain varchar not null,
  property_id varchar,
  property_type varchar not null,
  name varchar not null,
  identifiers struct(type varchar, value varchar)[] not null,
  tags varchar[] not null,
  supported_channels varchar[] not null,
  channels varchar[] not null,
  classification varchar not null,
  source varchar not null,
  status varchar not null,
  stale_reason varchar,
  inline_only boolean,
  created_at timestamptz not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
insert into property_versions by name
select property_rid, publisher_domain, property_id, property_type, name, identifiers, tags, supported_channels, channels, classification, source, status, stale_reason, inline_only, created_at, properties.seq,
  (select coalesce(committed_at, now()) from meta) as valid_from, false as ended
from properties;
create table if not exists publisher_versions (
  domain varchar not null,
  valid boolean not null,
  discovery_method varchar not null,
  manager_domain varchar,
  resolved_location varchar not null,
  agent_count uinteger not null,
  property_count uinteger not null,
  catalog json not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
insert into publisher_versions by name
select domain, valid, discovery_method, manager_domain, resolved_location, agent_count, property_count, catalog, publishers.seq,
  (select coalesce(committed_at, now()) from meta) as valid_from, false as ended
from publishers;
create table if not exists brand_versions (
  domain varchar not null,
  canonical_id varchar not null,
  canonical_domain varchar not null,
  brand_name varchar not null,
  source varchar not null,
  brand_id varchar,
  keller_type varchar,
  house_domain varchar,
  house_name varchar,
  claimed_house_domain varchar,
  parent_brand varchar,
  relationship_trust varchar,
  resolved_location varchar,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
insert into brand_versions by name
select domain, canonical_id, canonical_domain, brand_name, source, brand_id, keller_type, house_domain, house_name, claimed_house_domain, parent_brand, relationship_trust, resolved_location, brands.seq,
  (select coalesce(committed_at, now()) from meta) as valid_from, false as ended
from brands;
create table if not exists property_set_versions (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
insert into property_set_versions by name select * from property_sets;
