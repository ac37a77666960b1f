-- key: domain, seq
-- index: seq
-- takedown: deletes by domain
create table if not exists publisher_versions (
  domain varchar not null,
  valid boolean not null,
  discovery_method varchar not null, -- published as enum discovery_method
  manager_domain varchar,
  resolved_location varchar not null,
  agent_count uinteger not null,
  property_count uinteger not null,
  catalog json not null,
  valid_from timestamptz not null,
  ended boolean not null,
  seq bigint not null
);
comment on table publisher_versions is 'Every state of each publisher’s file, to the extent needed for answers about authorization.';
comment on column publisher_versions.domain is 'domain of the publisher';
comment on column publisher_versions.valid is 'whether the file counts as valid';
comment on column publisher_versions.discovery_method is 'how the file was found';
comment on column publisher_versions.manager_domain is 'domain that serves the file on behalf of the publisher; null if the publisher serves its own';
comment on column publisher_versions.resolved_location is 'location of the document the facts were read from';
comment on column publisher_versions.agent_count is 'number of distinct agents with a grant in force';
comment on column publisher_versions.property_count is 'number of active properties';
comment on column publisher_versions.catalog is 'formats and placements of the publisher, as published';
comment on column publisher_versions.valid_from is 'when this state began (UTC)';
comment on column publisher_versions.ended is 'true if the row was removed; the other columns then hold its last state';
comment on column publisher_versions.seq is 'commit that recorded this state';
