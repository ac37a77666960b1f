-- key: property_rid, seq
-- references: property_rid -> properties.property_rid
-- index: seq
-- takedown: deletes by publisher_domain
create table if not exists property_versions (
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
  inline_only boolean,
  created_at timestamptz not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
comment on table property_versions is 'Every state of each property: a row is added when it appears or changes, and rows never change afterward.';
comment on column property_versions.property_rid is 'permanent id, created once (UUID v7)';
comment on column property_versions.publisher_domain is 'domain of the publisher that owns the property';
comment on column property_versions.property_id is 'id in the publisher’s file, not unique beyond it; null if the file gives none';
comment on column property_versions.property_type is 'website, mobile_app, ctv_app, …';
comment on column property_versions.name is 'name as published';
comment on column property_versions.identifiers is 'identifiers as the file writes them: list of {type, value}, sorted';
comment on column property_versions.identifier_keys is 'the same identifiers in the same order, normalized; join on these: lowercase, and domains without scheme, www. or m., in A-labels (xn--…)';
comment on column property_versions.tags is 'tags, sorted';
comment on column property_versions.supported_channels is 'channels as published, sorted';
comment on column property_versions.channels is 'supported_channels, or else the channels that the type implies, sorted';
comment on column property_versions.classification is 'property, ad_infra, publisher_mask, network or unclassified';
comment on column property_versions.source is 'authoritative: from the publisher’s file; contributed: from what people saved or submitted, which grants nothing; or enriched';
comment on column property_versions.status is 'active, stale, or removed (an alias of another)';
comment on column property_versions.stale_reason is 'why the property is stale: not_listed, revoked, validation_failed or disputed; null while it is active';
comment on column property_versions.inline_only is 'true if the file lists the property only inside an agent’s entry, so that no other entry can select it; otherwise null';
comment on column property_versions.created_at is 'when the property’s rid was created (UTC)';
comment on column property_versions.valid_from is 'when this state began (UTC)';
comment on column property_versions.ended is 'true if the row was removed; the other columns then hold its last state';
comment on column property_versions.seq is 'commit that recorded this state';
