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
  p.channels,
  a.authorization_type,
  a.delegation_type,
  a.exclusive,
  a.countries,
  a.effective_from,
  a.effective_until,
  a.discovery_method,
  a.manager_domain,
  a.granted_at
from authorizations a
left join (
  select set_id, unnest(property_rids) as property_rid from property_sets
) s on s.set_id = a.property_set
left join properties p on p.property_rid = s.property_rid
where a.in_force;
comment on view grants_flat is 'Whom publishers authorize to sell what: a row for each grant in force and each property it reaches. A grant that reaches no property (of signals alone, for example) has one row without a property.';
comment on column grants_flat.publisher_domain is 'publisher that grants it';
comment on column grants_flat.agent_url is 'key of the agent that may sell';
comment on column grants_flat.authorization_id is 'the grant: authorizations.id';
comment on column grants_flat.property_rid is 'the property: properties.property_rid; null where the grant reaches none';
comment on column grants_flat.property_id is 'slug of the property inside the publisher''s file';
comment on column grants_flat.property_type is 'website, mobile_app, ctv_app, …';
comment on column grants_flat.property_name is 'name of the property as published';
comment on column grants_flat.identifiers is 'identifiers of the property, sorted: list of {type, value}';
comment on column grants_flat.channels is 'channels of the property, sorted';
comment on column grants_flat.authorization_type is 'which selector of the entry counts';
comment on column grants_flat.delegation_type is 'direct, delegated or ad_network; null where the file does not say';
comment on column grants_flat.exclusive is 'whether the grant is exclusive; null where the file does not say';
comment on column grants_flat.countries is 'ISO 3166 codes where it holds; null means everywhere, an empty list nowhere';
comment on column grants_flat.effective_from is 'first moment of the window (UTC); null means always';
comment on column grants_flat.effective_until is 'last moment of the window (UTC); null means for ever';
comment on column grants_flat.discovery_method is 'how the file was found: direct, authoritative_location, ads_txt_managerdomain or adagents_authoritative';
comment on column grants_flat.manager_domain is 'host of the file, where it is another''s';
comment on column grants_flat.granted_at is 'when the registry first saw the grant (UTC)';
