create or replace view agent_contradictions as
select
  a.agent_url,
  a.publisher_domain,
  d.property_rid,
  a.id as authorization_id,
  a.delegation_type,
  a.manager_domain,
  o.domain as operator_domain,
  d.operator_reason
from operator_sides d
join agent_operators o on o.location = d.location
join authorizations a on a.agent_url = o.agent_url and a.publisher_domain = d.publisher_domain
  and a.delegation_type is not distinct from d.delegation_type
join property_sets s on s.set_id = a.property_set and list_contains(s.property_rids, d.property_rid)
where a.in_force and d.operator_side = 'contradicted';
comment on view agent_contradictions is 'What publishers grant but agents cannot sell, because the brand.json of the agent’s operator contradicts the grant: one row for each grant in force and each such property.';
comment on column agent_contradictions.agent_url is 'normalized URL of the agent; agent_key() normalizes any spelling';
comment on column agent_contradictions.publisher_domain is 'domain of the publisher that made the grant';
comment on column agent_contradictions.property_rid is 'the property: properties.property_rid';
comment on column agent_contradictions.authorization_id is 'the grant: authorizations.id';
comment on column agent_contradictions.delegation_type is 'direct, delegated or ad_network, as the publisher says; null if the file does not say';
comment on column agent_contradictions.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column agent_contradictions.operator_domain is 'domain of the agent’s operator';
comment on column agent_contradictions.operator_reason is 'rule by which the operator contradicts the grant: claims_to_own or declared_otherwise';
