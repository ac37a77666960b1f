-- key: collection_rid
-- references: publisher_domain -> publishers.domain
-- index: publisher_domain
-- takedown: deletes by publisher_domain
create table if not exists collections (
  collection_rid uuid not null,
  publisher_domain varchar not null,
  collection_id varchar not null,
  name varchar not null,
  kind varchar not null, -- published as enum collection_kind
  identifiers struct(publisher_domain varchar, type varchar, value varchar)[] not null,
  collection json not null,
  source varchar not null, -- published as enum catalog_source
  status varchar not null, -- published as enum collection_status
  created_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
comment on table collections is 'Shows, publications and other programs of publishers. Rows are never deleted: a collection that is gone is removed and keeps its collection_rid.';
comment on column collections.collection_rid is 'permanent id, created once (UUID v7) for each collection_id of a publisher';
comment on column collections.publisher_domain is 'domain of the publisher that owns the collection';
comment on column collections.collection_id is 'id in the publisher’s file; not unique beyond it';
comment on column collections.name is 'name as published';
comment on column collections.kind is 'series, publication, event_series or rotation';
comment on column collections.identifiers is 'where the collection is distributed: list of {publisher_domain, type, value}, sorted';
comment on column collections.collection is 'the collection as read';
comment on column collections.source is 'authoritative, enriched or contributed';
comment on column collections.status is 'active or removed; an alias of another stays removed';
comment on column collections.created_at is 'when the collection’s rid was created (UTC)';
comment on column collections.changed_at is 'when the collection’s content or status last changed (UTC)';
comment on column collections.seq is 'commit that last touched the row';
