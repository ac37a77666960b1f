-- key: id, seq
-- references: property_set -> property_set_versions.set_id
-- index: seq
-- takedown: deletes by publisher_domain
create table if not exists authorization_versions (
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
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
comment on table authorization_versions is 'Every state of each grant: a row is added when it is granted, changes or ends, and rows never change afterward.';
comment on column authorization_versions.id is 'permanent id of the grant, derived from its content';
comment on column authorization_versions.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column authorization_versions.publisher_domain is 'domain of the publisher that made the grant';
comment on column authorization_versions.entry is 'position in authorized_agents';
comment on column authorization_versions.authorization_type is 'how the entry selects what the agent can sell: properties by id or by tag, properties that it describes itself (inline_properties), those of other publishers (publisher_properties), or signals';
comment on column authorization_versions.authorized_for is 'what the publisher says the agent may do, in its own words; null if the file does not say';
comment on column authorization_versions.property_set is 'properties that the grant reached, as a row of property_set_versions; null if it reached none';
comment on column authorization_versions.property_count is 'number of properties in the set';
comment on column authorization_versions.publisher_wide is 'whether the grant reaches all active properties of the publisher';
comment on column authorization_versions.property_ids is 'ids of the properties that the entry selects; null if it selects otherwise (authorization_type)';
comment on column authorization_versions.property_tags is 'tags of the properties that the entry selects; null if it selects otherwise';
comment on column authorization_versions.publisher_properties is 'selectors of the entry that name this publisher: list of {publisher_domain, selection_type, property_ids, property_tags}; null if it selects otherwise';
comment on column authorization_versions.signal_ids is 'ids of the signals that the entry selects; null if it selects otherwise';
comment on column authorization_versions.signal_tags is 'tags of the signals that the entry selects; null if it selects otherwise';
comment on column authorization_versions.placement_ids is 'placements to which the grant is limited; null means any, an empty list none';
comment on column authorization_versions.placement_tags is 'tags of placements to which the grant is limited; null means any placement, an empty list none';
comment on column authorization_versions.collections is 'collections to which the grant is limited: list of {publisher_domain, collection_ids}; null means any, an empty list none';
comment on column authorization_versions.delegation_type is 'how the agent sells: direct (as the publisher), delegated (on its behalf) or ad_network; null if the file does not say';
comment on column authorization_versions.exclusive is 'whether the publisher states that only this agent has the grant; null if the file does not say';
comment on column authorization_versions.countries is 'countries to which the grant is limited (ISO 3166); null means any, an empty list none';
comment on column authorization_versions.effective_from is 'start of the period (UTC); null means no start';
comment on column authorization_versions.effective_until is 'last moment of the period (UTC); null means no end';
comment on column authorization_versions.in_force is 'whether the grant was within its period, both ends included; outside it, it authorized nobody';
comment on column authorization_versions.signing_keys is 'public keys of the agent that the publisher names; null if it names none';
comment on column authorization_versions.discovery_method is 'where the file was found: direct (the publisher’s well-known address), authoritative_location (a file there points to it) or ads_txt_managerdomain (ads.txt names the manager)';
comment on column authorization_versions.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column authorization_versions.granted_at is 'when the registry first saw the grant (UTC)';
comment on column authorization_versions.valid_from is 'when this state began (UTC)';
comment on column authorization_versions.ended is 'true if the row was removed; the other columns then hold its last state';
comment on column authorization_versions.seq is 'commit that recorded this state';
