-- Tables move to the schema internal: main has the views that analysts read, with types of their own.
create schema internal;
create table internal.agent_claims (
  agent_url varchar not null,
  publisher_domain varchar not null
);
insert into internal.agent_claims by name from main.agent_claims;
drop table main.agent_claims;
create table internal.agent_declarations (
  agent_url varchar not null,
  location varchar not null,
  type varchar not null
);
insert into internal.agent_declarations by name from main.agent_declarations;
drop table main.agent_declarations;
create table internal.agent_facets (
  agent_url varchar not null,
  facet varchar not null,
  value varchar not null,
  times uinteger not null
);
insert into internal.agent_facets by name from main.agent_facets;
drop table main.agent_facets;
create table internal.agent_profiles (
  agent_url varchar not null,
  name varchar,
  type varchar not null,
  protocols varchar[] not null,
  tools_count uinteger not null,
  channels varchar[] not null,
  markets varchar[] not null,
  has_tmp boolean not null,
  needs_auth boolean not null,
  changed_at timestamptz not null,
  seq bigint not null,
  delivery_types varchar[],
  format_kinds varchar[]
);
insert into internal.agent_profiles by name from main.agent_profiles;
drop table main.agent_profiles;
-- Older indexes of this format lack it.
create table if not exists main.agent_standings (
  agent_url varchar not null,
  status varchar not null,
  lifecycle_stage varchar not null,
  headline varchar,
  tracks json not null,
  storyboards_passing uinteger not null,
  storyboards_total uinteger not null,
  storyboards json not null,
  streak_days uinteger not null,
  last_checked_at timestamptz,
  badges json not null,
  seq bigint not null
);
create table internal.agent_standings (
  agent_url varchar not null,
  status varchar not null,
  lifecycle_stage varchar not null,
  headline varchar,
  tracks json not null,
  storyboards_passing uinteger not null,
  storyboards_total uinteger not null,
  storyboards json not null,
  streak_days uinteger not null,
  last_checked_at timestamptz,
  badges json not null,
  seq bigint not null
);
insert into internal.agent_standings by name from main.agent_standings;
drop table main.agent_standings;
create table internal.agents (
  agent_url varchar not null,
  publisher_count uinteger not null,
  property_count uinteger not null,
  property_types varchar[] not null,
  channels varchar[] not null,
  tags varchar[] not null,
  markets varchar[] not null,
  discovered_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  declared_channels varchar[],
  implied_channels varchar[],
  categories varchar[],
  category_taxonomy varchar
);
insert into internal.agents by name from main.agents;
drop table main.agents;
create table internal.aliases (
  kind varchar not null,
  alias_rid uuid not null,
  canonical_rid uuid not null,
  evidence varchar,
  merged_at timestamptz not null,
  seq bigint not null
);
insert into internal.aliases by name from main.aliases;
drop table main.aliases;
create table internal.authorization_versions (
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
insert into internal.authorization_versions by name from main.authorization_versions;
drop table main.authorization_versions;
create table internal.authorizations (
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
insert into internal.authorizations by name from main.authorizations;
drop table main.authorizations;
create table internal.brand_versions (
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
insert into internal.brand_versions by name from main.brand_versions;
drop table main.brand_versions;
create table internal.brands (
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
  brand_agent_url varchar,
  relationship_trust varchar,
  relationship_declared_at timestamptz,
  names json,
  manifest json,
  seq bigint not null,
  resolved_location varchar
);
insert into internal.brands by name from main.brands;
drop table main.brands;
create table internal.changes (
  seq bigint not null,
  space varchar not null,
  key varchar not null
);
insert into internal.changes by name from main.changes;
drop table main.changes;
create table internal.claims (
  claim_id uuid not null,
  agent_url varchar not null,
  publisher_domain varchar not null,
  manager_domain varchar not null,
  entry uinteger not null,
  selector uinteger not null,
  authorized_for varchar,
  selection_type varchar not null,
  property_ids varchar[],
  property_tags varchar[],
  inline_property_ids varchar[] not null,
  inline_property_count uinteger not null,
  placement_ids varchar[],
  placement_tags varchar[],
  collections json,
  delegation_type varchar,
  exclusive boolean,
  countries varchar[],
  effective_from varchar,
  effective_until varchar,
  claimed_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  inline_properties json
);
insert into internal.claims by name from main.claims;
drop table main.claims;
create table internal.collections (
  collection_rid uuid not null,
  publisher_domain varchar not null,
  collection_id varchar not null,
  name varchar not null,
  kind varchar not null,
  identifiers struct(publisher_domain varchar, type varchar, value varchar)[] not null,
  collection json not null,
  source varchar not null,
  status varchar not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
insert into internal.collections by name from main.collections;
drop table main.collections;
create table internal.crawl_requests (
  crawl_request_id varchar not null,
  scope varchar not null,
  domain varchar not null,
  status varchar not null,
  attempts utinyint not null,
  requested_at timestamptz not null,
  requested_seq bigint not null,
  started_at timestamptz,
  last_attempted_at timestamptz,
  completed_at timestamptz,
  next_attempt_at timestamptz,
  last_error_code varchar,
  publishers uinteger,
  files json not null,
  seq bigint not null
);
insert into internal.crawl_requests by name from main.crawl_requests;
drop table main.crawl_requests;
create table internal.crawl_state (
  kind varchar not null,
  location varchar not null,
  priority utinyint not null,
  outcome varchar,
  effect varchar,
  status usmallint,
  streak uinteger not null,
  streak_since timestamptz,
  failures utinyint not null default 0,
  attempted_at timestamptz,
  succeeded_at timestamptz,
  due_at timestamptz,
  stale_at timestamptz,
  ended_at timestamptz,
  absent_at timestamptz,
  turns_at timestamptz,
  etag varchar,
  last_modified varchar,
  hash varchar,
  took_ms uinteger,
  requested boolean not null,
  seq bigint not null
);
insert into internal.crawl_state by name from main.crawl_state;
drop table main.crawl_state;
create table internal.depends_on (
  rule varchar not null,
  subject varchar not null,
  kind varchar not null,
  location varchar not null
);
insert into internal.depends_on by name from main.depends_on;
drop table main.depends_on;
create table internal.documents (
  kind varchar not null,
  location varchar not null,
  variant varchar not null,
  hash varchar not null,
  resolved_url varchar,
  bytes uinteger,
  fault_count uinteger not null,
  faults json not null,
  document json not null,
  first_seen_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
insert into internal.documents by name from main.documents;
drop table main.documents;
create table internal.enrolled_agents (
  agent_url varchar not null,
  org_id varchar not null,
  seq bigint not null
);
insert into internal.enrolled_agents by name from main.enrolled_agents;
drop table main.enrolled_agents;
create table internal.entries (
  entity varchar not null,
  domain varchar not null,
  entry_id uuid not null,
  source varchar not null,
  brand_name varchar,
  document json not null,
  contact_id uuid,
  revision_number uinteger not null,
  status varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
insert into internal.entries by name from main.entries;
drop table main.entries;
create table internal.event_files (
  day date not null,
  sha256 varchar not null,
  rewritten_at timestamptz not null
);
insert into internal.event_files by name from main.event_files;
drop table main.event_files;
create table internal.events (
  event_id uuid not null,
  event_type varchar not null,
  entity_type varchar not null,
  entity_id varchar not null,
  payload json not null,
  actor varchar not null,
  created_at timestamptz not null,
  seq bigint not null
);
insert into internal.events by name from main.events;
drop table main.events;
create table internal.frontier (
  domain varchar not null,
  why varchar not null,
  since timestamptz not null
);
insert into internal.frontier by name from main.frontier;
drop table main.frontier;
create table internal.held (
  rule varchar not null,
  subject varchar not null,
  reason varchar not null,
  grants uinteger not null,
  properties uinteger not null,
  since timestamptz not null,
  seq bigint not null
);
insert into internal.held by name from main.held;
drop table main.held;
create table internal.held_documents (
  kind varchar not null,
  location varchar not null,
  reason varchar not null,
  leads_to varchar,
  hash varchar not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  faults json not null,
  document json not null,
  seq bigint not null
);
insert into internal.held_documents by name from main.held_documents;
drop table main.held_documents;
create table internal.meta (
  format integer not null,
  fence bigint not null,
  seq bigint not null,
  committed_at timestamptz,
  last_event_id uuid
);
insert into internal.meta by name from main.meta;
drop table main.meta;
create table internal.mirrors (
  platform varchar not null,
  adagents_json json not null,
  catalog_etag varchar,
  superseded_by varchar,
  publisher_domains varchar[] not null,
  collections json not null,
  digest varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
insert into internal.mirrors by name from main.mirrors;
drop table main.mirrors;
create table internal.nights (
  night timestamptz not null,
  publishers ubigint not null,
  losses ubigint not null,
  taken ubigint not null
);
insert into internal.nights by name from main.nights;
drop table main.nights;
create table internal.policies (
  policy_id varchar not null,
  version varchar not null,
  name varchar not null,
  description varchar,
  category varchar not null,
  enforcement varchar not null,
  jurisdictions varchar[] not null,
  region_aliases json not null,
  policy_categories varchar[] not null,
  channels varchar[],
  governance_domains varchar[] not null,
  effective_date varchar,
  sunset_date varchar,
  source_url varchar,
  source_name varchar,
  policy varchar not null,
  guidance varchar,
  exemplars json,
  ext json,
  source_type varchar not null,
  review_status varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
insert into internal.policies by name from main.policies;
drop table main.policies;
create table internal.properties (
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
  created_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  inline_only boolean,
  categories varchar[],
  category_taxonomy varchar
);
insert into internal.properties by name from main.properties;
drop table main.properties;
create table internal.property_declarations (
  location varchar not null,
  brand_id varchar not null,
  type varchar not null,
  identifier varchar not null,
  store varchar,
  relationship varchar not null
);
insert into internal.property_declarations by name from main.property_declarations;
drop table main.property_declarations;
create table internal.property_set_versions (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
insert into internal.property_set_versions by name from main.property_set_versions;
drop table main.property_set_versions;
create table internal.property_sets (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
insert into internal.property_sets by name from main.property_sets;
drop table main.property_sets;
create table internal.property_versions (
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
insert into internal.property_versions by name from main.property_versions;
drop table main.property_versions;
create table internal.publisher_versions (
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
insert into internal.publisher_versions by name from main.publisher_versions;
drop table main.publisher_versions;
create table internal.publishers (
  domain varchar not null,
  valid boolean not null,
  discovery_method varchar not null,
  manager_domain varchar,
  resolved_location varchar not null,
  agent_count uinteger not null,
  property_count uinteger not null,
  collection_count uinteger not null,
  placement_count uinteger not null,
  format_count uinteger not null,
  signal_count uinteger not null,
  fields json not null,
  catalog json not null,
  discovered_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  listed_agents varchar[],
  reach_format utinyint
);
insert into internal.publishers by name from main.publishers;
drop table main.publishers;
create table internal.quarantine (
  kind varchar not null,
  location varchar not null,
  observed_at timestamptz not null,
  reason varchar not null,
  seq bigint not null
);
insert into internal.quarantine by name from main.quarantine;
drop table main.quarantine;
create table internal.revisions (
  entity varchar not null,
  domain varchar not null,
  revision_number uinteger not null,
  revision_id uuid,
  editor_id varchar not null,
  edit_summary varchar not null,
  source varchar not null,
  is_rollback boolean not null,
  rolled_back_to uinteger,
  state json not null,
  created_at timestamptz not null,
  seq bigint not null
);
insert into internal.revisions by name from main.revisions;
drop table main.revisions;
create table internal.submissions (
  submission_id varchar not null,
  seq bigint not null
);
insert into internal.submissions by name from main.submissions;
drop table main.submissions;
create table internal.wakes (
  rule varchar not null,
  subject varchar not null,
  wakes_at timestamptz not null
);
insert into internal.wakes by name from main.wakes;
drop table main.wakes;
set search_path = 'internal,main';
