create or replace view authorizations_history as
select
  v.id,
  v.agent_url,
  v.publisher_domain,
  v.entry,
  v.authorization_type,
  v.authorized_for,
  s.property_rids,
  v.property_count,
  v.publisher_wide,
  v.property_ids,
  v.property_tags,
  v.signal_ids,
  v.signal_tags,
  v.placement_ids,
  v.placement_tags,
  v.delegation_type,
  v.exclusive,
  v.countries,
  v.effective_from,
  v.effective_until,
  v.in_force,
  v.discovery_method,
  v.manager_domain,
  v.granted_at,
  v.valid_from,
  v.valid_to,
  v.seq
from (
  select *, lead(valid_from) over (partition by publisher_domain, agent_url, id order by seq) as valid_to
  from authorization_versions
) v
left join property_set_versions s on s.set_id = v.property_set
where not v.ended;
comment on view authorizations_history is 'All states of grants, one row per state with its period. States from before the registry recorded them are missing.';
comment on column authorizations_history.id is 'permanent id of the grant, derived from its content';
comment on column authorizations_history.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column authorizations_history.publisher_domain is 'domain of the publisher that made the grant';
comment on column authorizations_history.entry is 'position in authorized_agents';
comment on column authorizations_history.authorization_type is 'how the entry selects what the agent can sell: properties by id or by tag, properties that it describes itself (inline_properties), those of other publishers (publisher_properties), or signals';
comment on column authorizations_history.authorized_for is 'what the publisher says the agent may do, in its own words; null if the file does not say';
comment on column authorizations_history.property_rids is 'properties that the selector reached, sorted; null if it reached none';
comment on column authorizations_history.property_count is 'number of properties in the set';
comment on column authorizations_history.publisher_wide is 'whether the grant reaches all active properties of the publisher';
comment on column authorizations_history.property_ids is 'ids of the properties that the entry selects; null if it selects otherwise (authorization_type)';
comment on column authorizations_history.property_tags is 'tags of the properties that the entry selects; null if it selects otherwise';
comment on column authorizations_history.signal_ids is 'ids of the signals that the entry selects; null if it selects otherwise';
comment on column authorizations_history.signal_tags is 'tags of the signals that the entry selects; null if it selects otherwise';
comment on column authorizations_history.placement_ids is 'placements to which the grant is limited; null means any, an empty list none';
comment on column authorizations_history.placement_tags is 'tags of placements to which the grant is limited; null means any placement, an empty list none';
comment on column authorizations_history.delegation_type is 'how the agent sells: direct (as the publisher), delegated (on its behalf) or ad_network; null if the file does not say';
comment on column authorizations_history.exclusive is 'whether the publisher states that only this agent has the grant; null if the file does not say';
comment on column authorizations_history.countries is 'countries to which the grant is limited (ISO 3166); null means any, an empty list none';
comment on column authorizations_history.effective_from is 'first moment of the period (UTC); null means no start';
comment on column authorizations_history.effective_until is 'last moment of the period (UTC); null means no end';
comment on column authorizations_history.in_force is 'whether the grant was within its period; effective_from and effective_until have its exact ends';
comment on column authorizations_history.discovery_method is 'where the file was found: direct (the publisher’s well-known address), authoritative_location (a file there points to it) or ads_txt_managerdomain (ads.txt names the manager)';
comment on column authorizations_history.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column authorizations_history.granted_at is 'when the registry first saw the grant (UTC)';
comment on column authorizations_history.valid_from is 'when this state began (UTC)';
comment on column authorizations_history.valid_to is 'when this state ended (UTC); null for the current state';
comment on column authorizations_history.seq is 'commit that recorded this state';
