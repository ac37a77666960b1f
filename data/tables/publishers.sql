-- key: domain
-- index: manager_domain
-- index: seq
-- index: domain where listed_agents != '[]'
-- index: domain where instr(domain, 'xn--') > 0
-- takedown: deletes by domain
create table if not exists publishers (
  domain varchar not null,
  valid boolean not null,
  discovery_method varchar not null, -- published as enum discovery_method
  manager_domain varchar,
  resolved_location varchar not null,
  agent_count uinteger not null,
  property_count uinteger not null,
  collection_count uinteger not null,
  placement_count uinteger not null,
  format_count uinteger not null,
  signal_count uinteger not null,
  fields json not null,
  catalog json not null,
  discovered_at timestamptz not null,
  changed_at timestamptz not null,
  seq bigint not null,
  listed_agents varchar[],
  reach_format utinyint
);
comment on table publishers is 'Domains whose adagents.json the registry could read at least once. The home page and /publishers also count domains known only from a file hosted here: those with a live property entry in entries.';
comment on column publishers.domain is 'domain of the publisher';
comment on column publishers.valid is 'whether the file counts as valid';
comment on column publishers.discovery_method is 'how the file was found';
comment on column publishers.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column publishers.resolved_location is 'location of the document the facts were read from';
comment on column publishers.agent_count is 'number of distinct agents with a grant in force';
comment on column publishers.property_count is 'number of active properties';
comment on column publishers.collection_count is 'number of active collections';
comment on column publishers.placement_count is 'number of the publisher’s placements';
comment on column publishers.format_count is 'number of the publisher’s formats';
comment on column publishers.signal_count is 'number of the publisher’s signals';
comment on column publishers.fields is 'top-level key of the file -> hash of its canonical JSON';
comment on column publishers.catalog is 'formats and placements of the publisher, as published, and the names of lists in the file that were not read completely';
comment on column publishers.listed_agents is 'agents that the file lists but that have no grant in force, sorted; null only in rows that an earlier version wrote';
comment on column publishers.discovered_at is 'when the file could first be read (UTC)';
comment on column publishers.changed_at is 'when the file’s content last changed (UTC)';
comment on column publishers.reach_format is 'version of the rules by which the reach of its agents was counted; null only in rows that an earlier version wrote';
comment on column publishers.seq is 'commit that last touched the row';
