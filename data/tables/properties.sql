-- key: property_rid
-- index: publisher_domain
-- index: seq
-- takedown: deletes by publisher_domain
create table if not exists properties (
  property_rid uuid not null,
  publisher_domain varchar not null,
  property_id varchar,
  property_type varchar not null,
  name varchar not null,
  identifiers struct(type varchar, value varchar)[] not null,
  identifier_keys struct(type varchar, value varchar)[], -- computed as identifier_keys(t.identifiers), or else identifiers
  tags varchar[] not null,
  supported_channels varchar[] not null,
  channels varchar[] not null,
  classification varchar not null, -- published as enum classification
  source varchar not null, -- published as enum catalog_source
  status varchar not null, -- published as enum property_status
  stale_reason varchar, -- published as enum stale_reason
  created_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  inline_only boolean,
  categories varchar[],
  category_taxonomy varchar
);
comment on table properties is 'What publishers own. Rows are never deleted: a property that is gone is stale and keeps its property_rid.';
comment on column properties.property_rid is 'permanent id, created once (UUID v7)';
comment on column properties.publisher_domain is 'domain of the publisher that owns the property';
comment on column properties.property_id is 'id in the publisher’s file, not unique beyond it; null if the file gives none';
comment on column properties.property_type is 'website, mobile_app, ctv_app, …';
comment on column properties.name is 'name as published';
comment on column properties.identifiers is 'identifiers as the file writes them: list of {type, value}, sorted';
comment on column properties.identifier_keys is 'the same identifiers in the same order, normalized; join on these: lowercase, and domains without scheme, www. or m., in A-labels (xn--…)';
comment on column properties.tags is 'tags, sorted';
comment on column properties.supported_channels is 'channels as published, sorted';
comment on column properties.channels is 'supported_channels, or else the channels that the type implies, sorted';
comment on column properties.classification is 'property, ad_infra, publisher_mask, network or unclassified';
comment on column properties.source is 'authoritative: from the publisher’s file; contributed: from what people saved or submitted, which grants nothing; or enriched';
comment on column properties.status is 'active, stale, or removed (an alias of another)';
comment on column properties.stale_reason is 'why the property is stale: not_listed, revoked, validation_failed or disputed; null while it is active';
comment on column properties.inline_only is 'true if the file lists the property only inside an agent’s entry, so that no other entry can select it; otherwise null';
comment on column properties.created_at is 'when the property’s rid was created (UTC)';
comment on column properties.changed_at is 'when the property’s content or status last changed (UTC)';
comment on column properties.categories is 'content categories as published, sorted; null if there are none';
comment on column properties.category_taxonomy is 'taxonomy of the categories; null if none is named';
comment on column properties.seq is 'commit that last touched the row';
