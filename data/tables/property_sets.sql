-- key: set_id
-- references: set_id -> property_set_versions.set_id
-- references: publisher_domain -> publishers.domain
-- references: property_rids -> properties.property_rid
-- index: publisher_domain
-- takedown: deletes by publisher_domain
create table if not exists property_sets (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
comment on table property_sets is 'Sets of properties that grants reach. Grants of a publisher that reach the same properties share one set.';
comment on column property_sets.set_id is 'derived from the publisher and the properties: equal sets have equal ids';
comment on column property_sets.publisher_domain is 'domain of the publisher whose grants reach the set';
comment on column property_sets.property_rids is 'the properties, sorted';
