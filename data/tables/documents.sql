-- key: location, kind
-- references: kind, location -> crawl_state.kind, location
-- index: seq
-- index: resolved_url where resolved_url is not null
-- takedown: deletes by location
create table if not exists documents (
  kind varchar not null, -- published as enum source_kind
  location varchar not null,
  variant varchar not null,
  hash varchar not null,
  resolved_url varchar,
  bytes uinteger,
  fault_count uinteger not null,
  faults json not null, -- published as struct(field varchar, code varchar, message varchar, severity varchar)[]
  document json not null,
  leads_to varchar, -- computed as leads_to(t.kind, t.location, t.document), or else null
  first_seen_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null
);
comment on table documents is 'The last accepted document of each file, normalized and without contacts.';
comment on column documents.kind is 'brand.json, adagents.json, ads.txt or agent';
comment on column documents.location is 'a domain (for its well-known address), an https URL, or the normalized URL of an agent';
comment on column documents.variant is 'form of the document, such as pointer, inline or house_portfolio';
comment on column documents.hash is 'version of the parser and SHA-256 of the bytes; names the body file';
comment on column documents.resolved_url is 'final address of the response, after redirects; null if there were none';
comment on column documents.bytes is 'size after decompression; null only in rows that an earlier version wrote';
comment on column documents.fault_count is 'number of issues in the document';
comment on column documents.faults is 'list of {field, code, message, severity}';
comment on column documents.document is 'normalized content of the file';
comment on column documents.leads_to is 'location of the file that this one points to, such as that of its house; nowhere if it has nothing usable; null if it speaks for itself';
comment on column documents.first_seen_at is 'when the first document of this file was seen (UTC)';
comment on column documents.changed_at is 'when this document was first seen (UTC)';
comment on column documents.seq is 'commit that last touched the row';
