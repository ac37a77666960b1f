-- Keys and users behind the editor ids of public revisions.
-- takedown: keeps, since it names no domain
create table if not exists editors (
  -- random id, which says nothing by itself
  editor_id uuid not null,
  -- key or user
  kind varchar not null,
  -- id of the key or user
  principal_id varchar not null,
  -- organization that the edits were made for
  org_id varchar,
  -- commit of the first edit
  seq bigint not null
);
create index if not exists editors_by_editor_id on editors (editor_id);
create index if not exists editors_by_principal_id on editors (principal_id);
create index if not exists editors_by_org_id on editors (org_id);
create index if not exists editors_by_seq on editors (seq);
