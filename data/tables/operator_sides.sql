-- key: location, publisher_domain, property_rid, delegation_type
-- references: publisher_domain -> publishers.domain
-- references: property_rid -> properties.property_rid
-- index: publisher_domain
-- takedown: deletes by publisher_domain, location
create table if not exists operator_sides (
  location varchar not null,
  publisher_domain varchar not null,
  property_rid uuid not null,
  delegation_type varchar, -- published as enum delegation_type
  operator_side varchar not null, -- published as enum operator_side
  operator_reason varchar not null -- published as enum operator_reason
);
comment on table operator_sides is 'What operators declare about properties that publishers grant to their agents. If a granted property has no row here, its operator is silent.';
comment on column operator_sides.location is 'brand.json of the operator: agent_operators.location';
comment on column operator_sides.publisher_domain is 'publisher that grants the property';
comment on column operator_sides.property_rid is 'the property';
comment on column operator_sides.delegation_type is 'direct, delegated or ad_network, as the grant says; null if the file does not say';
comment on column operator_sides.operator_side is 'confirmed, contradicted or unknown';
comment on column operator_sides.operator_reason is 'rule behind operator_side: declared_alike, owns_it, claims_to_own, declared_otherwise or delegation_not_stated';
