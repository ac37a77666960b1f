-- key: claim_id
-- index: manager_domain
-- takedown: deletes by publisher_domain, manager_domain
create table if not exists claims (
  claim_id uuid not null,
  agent_url varchar not null,
  publisher_domain varchar not null,
  manager_domain varchar not null,
  entry uinteger not null,
  selector uinteger not null,
  authorized_for varchar,
  selection_type varchar not null, -- published as enum selection_type
  property_ids varchar[],
  property_tags varchar[],
  inline_property_ids varchar[] not null,
  inline_property_count uinteger not null,
  placement_ids varchar[],
  placement_tags varchar[],
  collections json, -- published as struct(publisher_domain varchar, collection_ids varchar[])[]
  delegation_type varchar, -- published as enum delegation_type
  exclusive boolean,
  countries varchar[],
  effective_from varchar, -- published as timestamptz
  effective_until varchar, -- published as timestamptz
  claimed_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  inline_properties json -- published as struct(property_id varchar, property_type varchar, name varchar, identifiers struct(type varchar, value varchar)[], tags varchar[])[]
);
comment on table claims is 'What managers’ files say about the inventory of other publishers: which agents can sell it. A claim authorizes nobody; only the publisher can.';
comment on column claims.claim_id is 'permanent id of the claim, derived from its content';
comment on column claims.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column claims.publisher_domain is 'publisher whose properties are claimed';
comment on column claims.manager_domain is 'manager whose file makes the claim';
comment on column claims.entry is 'position in authorized_agents';
comment on column claims.selector is 'position in publisher_properties of the entry';
comment on column claims.authorized_for is 'what the manager says the agent may do, in its own words; null if the file does not say';
comment on column claims.selection_type is 'all, by_id or by_tag';
comment on column claims.property_ids is 'ids of the properties that the claim selects; null if it selects otherwise (selection_type)';
comment on column claims.property_tags is 'tags of the properties that the claim selects; null if it selects otherwise';
comment on column claims.inline_property_ids is 'ids of the publisher’s properties that the manager’s file itself lists and the claim selects';
comment on column claims.inline_property_count is 'number of the publisher’s properties that the manager’s file itself lists and the claim selects, including those without an id';
comment on column claims.inline_properties is 'properties of the publisher that the manager’s file itself lists and the claim selects, a hundred at most; null if it lists none';
comment on column claims.placement_ids is 'placements to which the claim is limited; null means any, an empty list none';
comment on column claims.placement_tags is 'tags of placements to which the claim is limited; null means any placement, an empty list none';
comment on column claims.collections is 'collections to which the claim is limited: list of {publisher_domain, collection_ids}; null means any, an empty list none';
comment on column claims.delegation_type is 'how the agent sells: direct (as the publisher), delegated (on its behalf) or ad_network; null if the file does not say';
comment on column claims.exclusive is 'whether the claim is exclusive; null if the file does not say';
comment on column claims.countries is 'countries to which the claim is limited (ISO 3166); null means any, an empty list none';
comment on column claims.effective_from is 'start of the period (UTC); null means no start';
comment on column claims.effective_until is 'last moment of the period (UTC); null means no end';
comment on column claims.claimed_at is 'when the registry first saw the claim (UTC)';
comment on column claims.changed_at is 'when the content of the claim last changed (UTC)';
comment on column claims.seq is 'commit that last touched the row';
