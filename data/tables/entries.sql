-- key: entity, domain
-- index: domain, entity
-- index: entry_id
-- index: seq
create table if not exists entries (
  entity varchar not null,
  domain varchar not null,
  entry_id uuid not null,
  source varchar not null,
  brand_name varchar,
  document json not null,
  contact_id uuid,
  revision_number uinteger not null,
  status varchar not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null
);
comment on table entries is 'What members saved about a domain, or the registry found out about its brand, as of the last revision. It is shown where no file was crawled.';
comment on column entries.entity is 'brand or property';
comment on column entries.domain is 'the brand''s or the publisher''s';
comment on column entries.entry_id is 'the id that saves answer: that of the revision that made it';
comment on column entries.source is 'community or enriched';
comment on column entries.brand_name is 'name of the brand; null for a publisher';
comment on column entries.document is 'of a brand: brand_manifest, if there is one, and of an enriched one enrichment, which says who found it and when; of a publisher: authorized_agents, always empty, and properties with their rids';
comment on column entries.contact_id is 'the contact that was saved with it, which is private; none where nothing was';
comment on column entries.revision_number is 'its last revision';
comment on column entries.status is 'live; pending: a person has to look at it; rejected: one has, and it stays hidden; withdrawn: an operator took it back';
comment on column entries.created_at is 'first saved';
comment on column entries.updated_at is 'last saved';
comment on column entries.seq is 'commit that last touched the row';
