-- Callers who added unknown identifiers to the catalog.
-- takedown: keeps, since it names no domain
create table if not exists contributions (
  -- id chosen by the caller
  contribution_id varchar not null,
  -- key or user
  kind varchar not null,
  -- id of the key or user
  principal_id varchar not null,
  -- organization of the caller
  org_id varchar,
  -- source of the identifiers, as the caller states it
  provenance varchar not null,
  -- rids of the properties to create; one whose identifier was known by then was not created
  property_rids varchar[] not null,
  -- time of the request
  contributed_at timestamptz not null,
  -- commit that carried it out
  seq bigint not null
);
create index if not exists contributions_by_contribution_id on contributions (contribution_id);
create index if not exists contributions_by_seq on contributions (seq);
