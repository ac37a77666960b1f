-- key: entity, domain
-- index: domain, entity
-- index: entry_id
-- index: seq
-- index: domain where instr(domain, 'xn--') > 0
-- takedown: deletes by domain
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
comment on table entries is 'What members saved about a domain, or enrichment found about its brand, as of the last revision. It is shown only if no file was crawled.';
comment on column entries.entity is 'brand or property';
comment on column entries.domain is 'domain of the brand or publisher';
comment on column entries.entry_id is 'id that the save returned: that of the revision that created the entry';
comment on column entries.source is 'community or enriched';
comment on column entries.brand_name is 'name of the brand; null for a publisher';
comment on column entries.document is 'for a brand: brand_manifest, if any, and enrichment (source and time) for an enriched brand; for a publisher: properties with their rids, and authorized_agents, which is always empty';
comment on column entries.contact_id is 'private contact that was saved with the entry; null if there is none';
comment on column entries.revision_number is 'number of the entry’s last revision';
comment on column entries.status is 'live; pending: waiting for a moderator; rejected: a moderator rejected it, and it stays hidden; withdrawn: its owner or a moderator stopped hosting it';
comment on column entries.created_at is 'when the entry was first saved (UTC)';
comment on column entries.updated_at is 'when the entry was last saved (UTC)';
comment on column entries.seq is 'commit that last touched the row';
