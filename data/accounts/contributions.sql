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
comment on table contributions is 'Who took identifiers into the catalog that nobody knew.';
comment on column contributions.contribution_id is 'id chosen by the caller';
comment on column contributions.kind is 'key or user';
comment on column contributions.principal_id is 'who it was';
comment on column contributions.org_id is 'for which organization';
comment on column contributions.provenance is 'how they came by the identifiers';
comment on column contributions.property_rids is 'rids of the properties that were to be made; one whose identifier was known by then was not';
comment on column contributions.contributed_at is 'when it was asked for';
comment on column contributions.seq is 'commit that carried it out';
