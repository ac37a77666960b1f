-- key: location, kind
-- references: kind, location -> crawl_state.kind, location
-- takedown: deletes by location
create table if not exists held_documents (
  kind varchar not null, -- published as enum source_kind
  location varchar not null,
  reason varchar not null,
  leads_to varchar,
  hash varchar not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  faults json not null, -- published as struct(field varchar, code varchar, message varchar, severity varchar)[]
  document json not null,
  seq bigint not null
);
comment on table held_documents is 'Latest documents of files that are not accepted, or not yet. The earlier documents still count.';
comment on column held_documents.kind is 'brand.json or adagents.json';
comment on column held_documents.location is 'location of the file: a domain (for its well-known address) or an https URL';
comment on column held_documents.reason is 'older: the document’s own date is earlier than that of the accepted document; moved: the document points to another address';
comment on column held_documents.leads_to is 'authoritative_location of the held document; null if it is no pointer';
comment on column held_documents.hash is 'version of the parser and SHA-256 of the bytes';
comment on column held_documents.first_seen_at is 'when this document was first served (UTC); one that moved is accepted a day later';
comment on column held_documents.seen_at is 'when the document was last served (UTC)';
comment on column held_documents.faults is 'list of {field, code, message, severity}; the first says why the document is held';
comment on column held_documents.document is 'normalized content of the file';
comment on column held_documents.seq is 'commit that last touched the row';
