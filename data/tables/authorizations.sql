-- key: id
-- references: property_set -> property_sets.set_id
-- references: publisher_domain -> publishers.domain
-- references: agent_url -> agents.agent_url
-- index: publisher_domain
-- index: agent_url
-- index: property_set
-- index: seq
create table if not exists authorizations (
  id uuid not null,
  agent_url varchar not null,
  publisher_domain varchar not null,
  entry uinteger not null,
  authorization_type varchar not null, -- published as enum authorization_type
  authorized_for varchar,
  property_set uuid,
  property_count uinteger not null,
  publisher_wide boolean not null,
  property_ids varchar[],
  property_tags varchar[],
  publisher_properties json, -- published as struct(publisher_domain varchar, selection_type varchar, property_ids varchar[], property_tags varchar[])[]
  signal_ids varchar[],
  signal_tags varchar[],
  placement_ids varchar[],
  placement_tags varchar[],
  collections json, -- published as struct(publisher_domain varchar, collection_ids varchar[])[]
  delegation_type varchar, -- published as enum delegation_type
  exclusive boolean,
  countries varchar[],
  effective_from varchar, -- published as timestamptz
  effective_until varchar, -- published as timestamptz
  in_force boolean not null,
  signing_keys json,
  discovery_method varchar not null, -- published as enum discovery_method
  manager_domain varchar,
  granted_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
comment on table authorizations is 'Grants: which agent may sell what of which publisher, read from the publisher''s own adagents.json.';
comment on column authorizations.id is 'permanent id of the grant, made of its facts';
comment on column authorizations.agent_url is 'key of the agent';
comment on column authorizations.publisher_domain is 'publisher that grants it';
comment on column authorizations.entry is 'position in authorized_agents';
comment on column authorizations.authorization_type is 'which selector counts';
comment on column authorizations.authorized_for is 'the publisher''s words';
comment on column authorizations.property_set is 'properties the selector reaches now: a row of property_sets; null where it reaches none';
comment on column authorizations.property_count is 'number of properties in the set';
comment on column authorizations.publisher_wide is 'whether these are all of the publisher''s active properties';
comment on column authorizations.property_ids is 'selector';
comment on column authorizations.property_tags is 'selector';
comment on column authorizations.publisher_properties is 'selector: those of the entry that name this publisher, a list of {publisher_domain, selection_type, property_ids, property_tags}';
comment on column authorizations.signal_ids is 'selector';
comment on column authorizations.signal_tags is 'selector';
comment on column authorizations.placement_ids is 'qualifier';
comment on column authorizations.placement_tags is 'qualifier';
comment on column authorizations.collections is 'qualifier: list of {publisher_domain, collection_ids}';
comment on column authorizations.delegation_type is 'direct, delegated or ad_network';
comment on column authorizations.exclusive is 'whether the grant is exclusive';
comment on column authorizations.countries is 'where it holds; null means everywhere, an empty list nowhere';
comment on column authorizations.effective_from is 'start of the window; null means always';
comment on column authorizations.effective_until is 'last moment of the window; null means for ever';
comment on column authorizations.in_force is 'whether the window is open now, both ends included; a grant outside it authorizes nobody';
comment on column authorizations.signing_keys is 'public keys pinned by the publisher';
comment on column authorizations.discovery_method is 'how the file was found';
comment on column authorizations.manager_domain is 'host of the file, where it is another''s';
comment on column authorizations.granted_at is 'first seen';
comment on column authorizations.changed_at is 'last changed';
comment on column authorizations.seq is 'commit that last touched the row';
