-- key: set_id
create table if not exists property_set_versions (
  set_id uuid not null,
  publisher_domain varchar not null,
  property_rids uuid[] not null
);
comment on table property_set_versions is 'Sets of properties that grants reach or have reached, each once: what property_sets held at any time.';
comment on column property_set_versions.set_id is 'made of the publisher and the properties: the same set has the same id';
comment on column property_set_versions.publisher_domain is 'publisher that grants it';
comment on column property_set_versions.property_rids is 'the properties, sorted';
