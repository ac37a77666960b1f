-- index: location
-- takedown: deletes by location once derived again
create table if not exists property_declarations (
  location varchar not null,
  brand_id varchar not null,
  type varchar not null,
  identifier varchar not null,
  identifier_key varchar, -- computed as identifier_key(t.type, t.store, t.identifier), or else identifier
  store varchar,
  relationship varchar not null -- published as enum relationship
);
comment on table property_declarations is 'Properties that a valid brand.json declares as owned or sold by its brand: the operator’s side of an authorization.';
comment on column property_declarations.location is 'location of the file: a domain (for its well-known address) or an https URL';
comment on column property_declarations.brand_id is 'id of the brand inside the file';
comment on column property_declarations.type is 'website, mobile_app, … as written';
comment on column property_declarations.identifier is 'identifier as written';
comment on column property_declarations.identifier_key is 'identifier in the form of properties.identifier_keys';
comment on column property_declarations.store is 'app store; null if the file names none';
comment on column property_declarations.relationship is 'owned, direct, delegated or ad_network';
