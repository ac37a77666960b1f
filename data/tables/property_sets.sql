-- key: set_id
-- index: publisher_domain
create table if not exists property_sets (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
comment on table property_sets is 'Sets of properties that grants reach. Grants of a publisher that reach the same properties share one set.';
comment on column property_sets.set_id is 'derived from the publisher and the properties: equal sets have equal ids';
comment on column property_sets.publisher_domain is 'publisher that grants it';
comment on column property_sets.property_rids is 'the properties, sorted';
