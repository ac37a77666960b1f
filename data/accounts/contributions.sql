create table if not exists contributions (
  contribution_id varchar not null,
  kind varchar not null,
  principal_id varchar not null,
  org_id varchar,
  provenance varchar not null,
  property_rids varchar[] not null,
  contributed_at timestamptz not null,
  seq bigint not null
);
comment on table contributions is 'Callers who added unknown identifiers to the catalog.';
comment on column contributions.contribution_id is 'id chosen by the caller';
comment on column contributions.kind is 'key or user';
comment on column contributions.principal_id is 'id of the key or user';
comment on column contributions.org_id is 'organization of the caller';
comment on column contributions.provenance is 'source of the identifiers, as the caller states it';
comment on column contributions.property_rids is 'rids of the properties to create; one whose identifier was known by then was not created';
comment on column contributions.contributed_at is 'time of the request';
comment on column contributions.seq is 'commit that carried it out';
