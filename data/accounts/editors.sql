create table if not exists editors (
  editor_id uuid not null,
  kind varchar not null,
  principal_id varchar not null,
  org_id varchar,
  seq bigint not null
);
comment on table editors is 'Keys and users behind the editor ids of public revisions.';
comment on column editors.editor_id is 'random id, which says nothing by itself';
comment on column editors.kind is 'key or user';
comment on column editors.principal_id is 'id of the key or user';
comment on column editors.org_id is 'organization that the edits were made for';
comment on column editors.seq is 'commit of the first edit';
