-- key: id
-- references: property_set -> property_sets.set_id
-- references: publisher_domain -> publishers.domain
-- references: agent_url -> agents.agent_url
-- index: publisher_domain
-- index: agent_url
-- index: property_set
-- index: seq
-- takedown: deletes by publisher_domain
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
comment on table authorizations is 'Grants: which agents can sell which publisher’s inventory, according to the publisher’s adagents.json.';
comment on column authorizations.id is 'permanent id of the grant, derived from its content';
comment on column authorizations.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column authorizations.publisher_domain is 'domain of the publisher that made the grant';
comment on column authorizations.entry is 'position in authorized_agents';
comment on column authorizations.authorization_type is 'how the entry selects what the agent can sell: properties by id or by tag, properties that it describes itself (inline_properties), those of other publishers (publisher_properties), or signals';
comment on column authorizations.authorized_for is 'what the publisher says the agent may do, in its own words; null if the file does not say';
comment on column authorizations.property_set is 'properties that the grant reaches now, as a row of property_sets; null if it reaches none';
comment on column authorizations.property_count is 'number of properties in the set';
comment on column authorizations.publisher_wide is 'whether the grant reaches all active properties of the publisher';
comment on column authorizations.property_ids is 'ids of the properties that the entry selects; null if it selects otherwise (authorization_type)';
comment on column authorizations.property_tags is 'tags of the properties that the entry selects; null if it selects otherwise';
comment on column authorizations.publisher_properties is 'selectors of the entry that name this publisher: list of {publisher_domain, selection_type, property_ids, property_tags}; null if it selects otherwise';
comment on column authorizations.signal_ids is 'ids of the signals that the entry selects; null if it selects otherwise';
comment on column authorizations.signal_tags is 'tags of the signals that the entry selects; null if it selects otherwise';
comment on column authorizations.placement_ids is 'placements to which the grant is limited; null means any, an empty list none';
comment on column authorizations.placement_tags is 'tags of placements to which the grant is limited; null means any placement, an empty list none';
comment on column authorizations.collections is 'collections to which the grant is limited: list of {publisher_domain, collection_ids}; null means any, an empty list none';
comment on column authorizations.delegation_type is 'how the agent sells: direct (as the publisher), delegated (on its behalf) or ad_network; null if the file does not say';
comment on column authorizations.exclusive is 'whether the publisher states that only this agent has the grant; null if the file does not say';
comment on column authorizations.countries is 'countries to which the grant is limited (ISO 3166); null means any, an empty list none';
comment on column authorizations.effective_from is 'start of the period (UTC); null means no start';
comment on column authorizations.effective_until is 'last moment of the period (UTC); null means no end';
comment on column authorizations.in_force is 'whether the grant is within its period now, both ends included; outside it, it authorizes nobody';
comment on column authorizations.signing_keys is 'public keys of the agent that the publisher names; null if it names none';
comment on column authorizations.discovery_method is 'where the file was found: direct (the publisher’s well-known address), authoritative_location (a file there points to it) or ads_txt_managerdomain (ads.txt names the manager)';
comment on column authorizations.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column authorizations.granted_at is 'when the registry first saw the grant (UTC)';
comment on column authorizations.changed_at is 'when the grant or what it reaches last changed (UTC)';
comment on column authorizations.seq is 'commit that last touched the row';
