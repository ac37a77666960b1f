-- key: platform
-- stored as: shown_mirrors
-- takedown: keeps a file for a platform, which says of others what it says
create table if not exists mirrors (
  platform varchar not null,
  adagents_json json not null,
  catalog_etag varchar,
  superseded_by varchar,
  publisher_domains varchar[] not null,
  collections json not null,
  digest varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table mirrors is 'Files that members maintain for platforms that publish no file of their own. They authorize nobody.';
comment on column mirrors.platform is 'platform whose file is mirrored';
comment on column mirrors.adagents_json is 'the file, without its contact';
comment on column mirrors.catalog_etag is 'version that the catalog’s author gave it; null if there is none';
comment on column mirrors.superseded_by is 'address of the file that replaces it; null if there is none';
comment on column mirrors.publisher_domains is 'domains of the publishers that the mirror describes';
comment on column mirrors.collections is 'collections of the mirror as read, each with its publisher';
comment on column mirrors.digest is 'SHA-256 of the file without its time, hex';
comment on column mirrors.created_at is 'first published (UTC)';
comment on column mirrors.updated_at is 'last published (UTC)';
comment on column mirrors.seq is 'commit that last touched the row';
