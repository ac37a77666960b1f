create or replace view grants_flat as
select
  a.publisher_domain,
  a.agent_url,
  a.id as authorization_id,
  p.property_rid,
  p.property_id,
  p.property_type,
  p.name as property_name,
  p.identifiers,
  p.identifier_keys,
  p.channels,
  p.status as property_status,
  a.authorization_type,
  a.delegation_type,
  a.exclusive,
  a.countries,
  a.placement_ids,
  a.placement_tags,
  flatten([c.collection_ids for c in a.collections if c.publisher_domain = a.publisher_domain])
    as collection_ids,
  a.effective_from,
  a.effective_until,
  a.discovery_method,
  a.manager_domain,
  a.granted_at,
  o.domain as operator_domain,
  coalesce(d.operator_side, if(b.location is null, 'unknown', 'silent')::operator_side)
    as operator_side,
  coalesce(d.operator_reason, case when o.location is null then 'no_operator'
    when b.location is null then 'no_brand_file' else 'not_declared' end::operator_reason)
    as operator_reason
from authorizations a
left join (
  select set_id, unnest(property_rids) as property_rid from property_sets
) s on s.set_id = a.property_set
left join properties p on p.property_rid = s.property_rid
left join agent_operators o on o.agent_url = a.agent_url
left join (
  select location from agent_operators where names_agent
  union select location from property_declarations
  union select location from crawl_state
    where kind = 'brand.json' and effect = 'success' and failures = 0 and not contains(location, '://')
) b on b.location = o.location
left join operator_sides d on d.location = o.location and d.publisher_domain = a.publisher_domain
  and d.property_rid = s.property_rid and d.delegation_type is not distinct from a.delegation_type
where a.in_force;
comment on view grants_flat is 'Who is authorized to sell what, and what the agents’ operators say about it: one row for each grant in force and each property it reaches. Where operator_side is contradicted or property_status is stale, the agent cannot sell. A grant that reaches no property, such as a grant of signals, has one row without a property.';
comment on column grants_flat.publisher_domain is 'domain of the publisher that made the grant';
comment on column grants_flat.agent_url is 'normalized URL of the agent to which it is granted';
comment on column grants_flat.authorization_id is 'the grant: authorizations.id';
comment on column grants_flat.property_rid is 'the property: properties.property_rid; null if the grant reaches none';
comment on column grants_flat.property_id is 'id of the property in the publisher’s file';
comment on column grants_flat.property_type is 'website, mobile_app, ctv_app, …';
comment on column grants_flat.property_name is 'name of the property as published';
comment on column grants_flat.identifiers is 'identifiers of the property as the file writes them: list of {type, value}, sorted';
comment on column grants_flat.identifier_keys is 'the same identifiers in the same order, normalized; join on these: lowercase, and domains without scheme, www. or m., in A-labels (xn--…)';
comment on column grants_flat.channels is 'channels of the property, sorted';
comment on column grants_flat.property_status is 'active, or stale: the agent cannot sell the property now, for example because the file is gone (404) and the grant has not ended yet; null if the grant reaches none';
comment on column grants_flat.authorization_type is 'how the entry selects what the agent can sell: properties by id or by tag, properties that it describes itself (inline_properties), those of other publishers (publisher_properties), or signals';
comment on column grants_flat.delegation_type is 'how the agent sells: direct (as the publisher), delegated (on its behalf) or ad_network; null if the file does not say';
comment on column grants_flat.exclusive is 'whether the publisher states that only this agent has the grant; null if the file does not say';
comment on column grants_flat.countries is 'countries to which the grant is limited (ISO 3166); null means any, an empty list none';
comment on column grants_flat.placement_ids is 'placements to which the grant is limited; null means any, an empty list none';
comment on column grants_flat.placement_tags is 'tags of placements to which the grant is limited; null means any placement, an empty list none';
comment on column grants_flat.collection_ids is 'collections of the publisher to which the grant is limited; null means any, an empty list none';
comment on column grants_flat.effective_from is 'first moment of the period (UTC); null means no start';
comment on column grants_flat.effective_until is 'last moment of the period (UTC); null means no end';
comment on column grants_flat.discovery_method is 'where the file was found: direct (the publisher’s well-known address), authoritative_location (a file there points to it) or ads_txt_managerdomain (ads.txt names the manager)';
comment on column grants_flat.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column grants_flat.granted_at is 'when the registry first saw the grant (UTC)';
comment on column grants_flat.operator_domain is 'domain of the agent’s operator; null if the agent has none';
comment on column grants_flat.operator_side is 'what the operator’s brand.json says about the grant: confirmed, silent, contradicted or unknown; if contradicted, the agent cannot sell';
comment on column grants_flat.operator_reason is 'rule behind operator_side: {operator_reasons}';
