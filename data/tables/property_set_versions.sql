-- key: set_id
-- references: property_rids -> properties.property_rid
-- takedown: deletes by publisher_domain
create table if not exists property_set_versions (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
comment on table property_set_versions is 'Sets of properties that grants reach or have reached: everything that property_sets ever contained.';
comment on column property_set_versions.set_id is 'derived from the publisher and the properties: equal sets have equal ids';
comment on column property_set_versions.publisher_domain is 'domain of the publisher whose grants reach the set';
comment on column property_set_versions.property_rids is 'the properties, sorted';
